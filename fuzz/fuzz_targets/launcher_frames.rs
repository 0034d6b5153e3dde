#![no_main]

anyccl_fuzz::target!("launcher_frames");
