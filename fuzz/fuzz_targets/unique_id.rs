#![no_main]

anyccl_fuzz::target!("unique_id");
