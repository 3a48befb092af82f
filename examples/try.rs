use fraglens::*;
fn main(){
 let paths: Vec<std::path::PathBuf> = std::env::args().skip(1).map(Into::into).collect();
 let mut s = source::CaptureFiles::open(&paths, &source::SourceOptions{hash: source::HashPolicy::Never, ..Default::default()});
 let o = pipeline::Options::default();
 let l = pipeline::analyze(&mut s, &o, &|_|{}).unwrap();
 println!("frames {} flows {} tunnels {}", l.capture.frames, l.flows.len(), l.tunnels.len());
 let mut t = model::Counters::default();
 for (k,f) in l.flows.iter() { t += f.counters(k.protocol); }
 println!("{t:?}");
 for u in l.undecoded.iter().take(10) { println!("{u:?}"); }
}
