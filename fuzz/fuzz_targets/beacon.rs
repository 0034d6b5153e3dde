#![no_main]

anyccl_fuzz::target!("beacon");
