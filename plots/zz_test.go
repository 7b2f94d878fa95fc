package plots
import ("testing";"os";"github.com/islandsgd/islands/network")
func TestZ(t *testing.T){
 for _,n:=range []string{"nine-city","star:n=8","dumbbell"} {
 top,err:=network.Load(n); if err!=nil {t.Fatal(err)}
 f:=Topology(top); for _,fm:=range Formats(){ b,err:=f.Render(fm); if err!=nil {t.Fatal(err)}; os.WriteFile("/tmp/fig/"+top.Name+"."+fm,b,0o644)}
 }
}
