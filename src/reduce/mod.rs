//! Reduction kernels: `dst[i] = a[i] op b[i]`, vectorised, chosen once per process by CPU features.
