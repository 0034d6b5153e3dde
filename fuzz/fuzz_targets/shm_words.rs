#![no_main]

anyccl_fuzz::target!("shm_words");
