#![no_main]

anyccl_fuzz::target!("rank_output");
