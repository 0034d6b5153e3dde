#![no_main]

anyccl_fuzz::target!("mapping_records");
