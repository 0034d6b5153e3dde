#![no_main]

anyccl_fuzz::target!("tuning_file");
