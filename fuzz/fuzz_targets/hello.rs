#![no_main]

anyccl_fuzz::target!("hello");
