#![no_main]

anyccl_fuzz::target!("tcp_frames");
