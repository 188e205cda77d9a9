package main
import ("context";"nacre/experiment";"nacre/experiment/progress";"nacre/study";"os";"fmt";"runtime";"nacre/tsne"
_ "nacre/sim/controls")
func main(){
 runtime.GOMAXPROCS(runtime.NumCPU()+1)
 preset:=os.Args[1]; algo:=os.Args[2]; out:=os.Args[3]; set:=os.Args[4:]
 os.RemoveAll(out)
 cfg,err:=experiment.Preset(preset); if err!=nil{panic(err)}
 cfg.Algorithm=algo; cfg.Seed=1
 if err:=experiment.Change(&cfg,set...);err!=nil{panic(err)}
 t,err:=experiment.Start(out,cfg,experiment.Host{Workers:1}); if err!=nil{panic(err)}
 if err:=t.Train(context.Background(),progress.Lines(os.Stderr,10e9)); err!=nil{panic(err)}
 p:=cfg.Evaluation.Protocol; p.Repeats=5
 r,_:=t.Evaluate(context.Background(),t.TestTasks,p,1)
 rnd,goal,_:=t.Baselines(context.Background(),t.TestTasks,p,1)
 fmt.Println(out,set,"returns",r.Summary.Return,"random",rnd.Summary.Adapted.Mean)
 if goal!=nil { fmt.Printf("%s share %.3f\n",out,(r.Summary.Adapted.Mean-rnd.Summary.Adapted.Mean)/(goal.Summary.Adapted.Mean-rnd.Summary.Adapted.Mean)) }
 rt,_:=t.Evaluate(context.Background(),t.TrainTasks[:20],p,1)
 rnd,goal,_=t.Baselines(context.Background(),t.TrainTasks[:20],p,1)
 if goal!=nil { fmt.Printf("%s TRAIN share %.3f\n",out,(rt.Summary.Adapted.Mean-rnd.Summary.Adapted.Mean)/(goal.Summary.Adapted.Mean-rnd.Summary.Adapted.Mean)) }
 e,err:=t.Embed(context.Background(),experiment.EmbedOptions{Tasks:8,Windows:50,Seed:1}); if err!=nil{panic(err)}
 a,err:=tsne.NearestCentroidAccuracy(e.Mean,e.Label,5,1); c,_:=tsne.MeasureClusters(e.Mean,e.Label)
 fmt.Println(out,"latent acc",a,"ratio",c.Ratio,err)
 _=study.Arms
}
