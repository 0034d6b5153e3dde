//! NVIDIA's compiler of CUDA C, opened at run time.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

use crate::result::Result;

/// Version that makes the committed PTX. Every driver since CUDA 11.8 takes its output.
const VERSION: (c_int, c_int) = (11, 8);

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;

/// The library.
pub struct Nvrtc {
    library: Library,
}

impl Nvrtc {
    /// Opens the library in target/nvrtc. `None`: it is not installed.
    pub fn open() -> Result<Option<Nvrtc>> {
        let Some(folder) = super::places::package("nvrtc", "cuda_nvrtc/lib") else { return Ok(None) };
        // SAFETY: NVIDIA's library runs no code of its own when it is loaded, but its constructors.
        let library = unsafe { Library::new(folder.join("libnvrtc.so.11.2")) }?;
        let nvrtc = Nvrtc { library };
        let version = nvrtc.version()?;
        let wanted = format!("{}.{}", VERSION.0, VERSION.1);
        if version != wanted {
            return Err(format!(
                "target/nvrtc has NVRTC {version}, not {wanted}; run: {}",
                super::places::INSTALL
            )
            .into());
        }
        Ok(Some(nvrtc))
    }

    /// The version of the library.
    pub fn version(&self) -> Result<String> {
        // SAFETY: the signature in nvrtc.h of every version.
        let version = unsafe { self.library.get::<Version>(b"nvrtcVersion\0") }?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: two places for integers.
        expect("nvrtcVersion", unsafe { version(&raw mut major, &raw mut minor) })?;
        Ok(format!("{major}.{minor}"))
    }

    /// Compiles a source whose headers are in `folder`, and returns the PTX. A warning is an error.
    pub fn compile(&self, source: &str, folder: &Path, options: &[&str]) -> Result<String> {
        let (source, mut program) = (CString::new(source)?, ptr::null_mut());
        // SAFETY: the signature in nvrtc.h of every version.
        let create = unsafe { self.library.get::<Create>(b"nvrtcCreateProgram\0") }?;
        // SAFETY: terminated strings, and no headers. The program lives as long as this task.
        let created = unsafe {
            create(&raw mut program, source.as_ptr(), c"anyccl.cu".as_ptr(), 0, ptr::null(), ptr::null())
        };
        expect("nvrtcCreateProgram", created)?;
        let include = format!("--include-path={}", folder.display());
        let options = options.iter().copied().chain([include.as_str()]).map(CString::new);
        let options = options.collect::<std::result::Result<Vec<_>, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the signature in nvrtc.h of every version.
        let compile = unsafe { self.library.get::<Compile>(b"nvrtcCompileProgram\0") }?;
        // SAFETY: a program, and as many terminated strings as the number says.
        let status = unsafe { compile(program, pointers.len() as c_int, pointers.as_ptr()) };
        let log = self.text(program, b"nvrtcGetProgramLogSize\0", b"nvrtcGetProgramLog\0")?;
        if status != 0 || !log.trim().is_empty() {
            return Err(format!("NVRTC refuses src/device/kernels ({status}):\n{log}").into());
        }
        self.text(program, b"nvrtcGetPTXSize\0", b"nvrtcGetPTX\0")
    }

    /// A text of the program: its length by one function, itself by the other.
    fn text(&self, program: Program, size_name: &[u8], text_name: &[u8]) -> Result<String> {
        // SAFETY: the signature in nvrtc.h of every version.
        let size = unsafe { self.library.get::<Size>(size_name) }?;
        // SAFETY: the signature in nvrtc.h of every version.
        let text = unsafe { self.library.get::<Text>(text_name) }?;
        let mut bytes = 0;
        // SAFETY: a program that exists, and a place for a size.
        expect("the size of NVRTC's output", unsafe { size(program, &raw mut bytes) })?;
        let mut buffer = vec![0u8; bytes.max(1)];
        // SAFETY: a program that exists, and room for as many bytes as it asked for.
        expect("NVRTC's output", unsafe { text(program, buffer.as_mut_ptr().cast()) })?;
        Ok(CStr::from_bytes_until_nul(&buffer)?.to_str()?.to_owned())
    }
}

fn expect(what: &str, status: c_int) -> Result {
    if status == 0 { Ok(()) } else { Err(format!("{what}: NVRTC's error {status}").into()) }
}
