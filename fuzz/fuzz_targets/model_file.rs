#![no_main]

anyccl_fuzz::target!("model_file");
