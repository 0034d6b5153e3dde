#![no_main]

anyccl_fuzz::target!("host_list");
