#![no_main]

anyccl_fuzz::target!("launch_reports");
