/// TargetConditionals.h: which system the compiler compiles for.
///
/// On a Mac this header is part of the system, so programs include <TargetConditionals.h>. Each
/// macro is 1 or 0, as in the toolchain's CFTargetConditionals.h, which includes this file instead
/// of its own list if it finds it. So here are the macros that the toolchain's headers use.
#if !defined(__TARGETCONDITIONALS__)
#define __TARGETCONDITIONALS__ 1

#define TARGET_OS_LINUX 1
#if defined(__ANDROID__)
#define TARGET_OS_ANDROID 1
#else
#define TARGET_OS_ANDROID 0
#endif
#define TARGET_OS_DARWIN 0
#define TARGET_OS_MAC 0
#define TARGET_OS_OSX 0
#define TARGET_OS_IPHONE 0
#define TARGET_OS_IOS 0
#define TARGET_OS_MACCATALYST 0
#define TARGET_OS_EMBEDDED 0
#define TARGET_OS_WINDOWS 0
#define TARGET_OS_WIN32 0
#define TARGET_OS_CYGWIN 0
#define TARGET_OS_BSD 0
#define TARGET_OS_WASI 0

#if defined(__LP64__)
#define TARGET_RT_64_BIT 1
#else
#define TARGET_RT_64_BIT 0
#endif

#endif
