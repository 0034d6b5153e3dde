#![no_main]

anyccl_fuzz::target!("store_file");
