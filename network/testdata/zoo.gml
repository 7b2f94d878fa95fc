Creator "by hand"
# a comment with ] in it
graph
[
  directed 0
  label "Small &amp; square"
  node [ id 3 label "A" Latitude 50.0 Longitude 10.0 graphics [ x 1.0 y 2.0 ] ]
  node
  [
    id 7
    Latitude 51.0
    Longitude 10.0
  ]
  edge [ source 3 target 7 LinkLabel "STM-16" ]
  edge [ source 3 target 7 LinkLabel "<45Mb" ]
]
