#![no_main]

anyccl_fuzz::target!("settings");
