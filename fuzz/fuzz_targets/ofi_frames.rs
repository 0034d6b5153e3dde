#![no_main]

anyccl_fuzz::target!("ofi_frames");
