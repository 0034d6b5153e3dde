"""Builds the operator against the anyccl and the torch that are installed.

    pip install --no-build-isolation ./c-examples/torch-extension
"""

import anyccl
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

folder = anyccl.get_library_dir()
setup(
    name="anyccl-example-exchange",
    version="0.1.0",
    py_modules=["exchange"],
    ext_modules=[
        CppExtension(
            "example_exchange",
            ["exchange.cpp"],
            include_dirs=[anyccl.get_include()],
            library_dirs=[folder],
            libraries=[anyccl.LIBRARY],
            # The loader finds the library where it is now: the one that Python has loaded.
            extra_link_args=[f"-Wl,-rpath,{folder}"],
        )
    ],
    cmdclass={"build_ext": BuildExtension.with_options(use_ninja=False)},
)
