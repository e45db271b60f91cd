// ObjectiveCListing.swift: asks the compiler about a listing that does not compile.
//
// The listings of the articles are Objective-C. clang checks that language on Linux, too, as long as it needs no Apple header: the
// declarations that the listings need are below.

/// A piece of Objective-C.
struct ObjectiveCListing: Sendable {
    /// The text, without `#import` lines.
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The errors that clang reports, each one once, in the order of the text; with automatic reference counting, as in an app.
    /// Without clang in the search path or beside swift, the only error says so.
    func errors() -> [String] {
        let command = """
            swift=$(command -v swift) && PATH=$PATH:$(dirname "$(readlink -f "$swift")")
            command -v clang >/dev/null || { echo 'error: no clang in the search path'; exit 1; }
            printf '%s\\n' "$1" | clang -fsyntax-only -fblocks -x objective-c -fobjc-arc -fobjc-runtime=macosx-12 -fno-caret-diagnostics - 2>&1
            """
        let output = ChildProcess.run("/bin/sh", ["-c", command, "sh", Self.declarations + text], limit: 20).output
        var errors: [String] = []
        for line in output.split(separator: "\n") {
            guard let error = line.firstRange(of: "error: ") else { continue }
            let message = String(line[error.upperBound...])
            if !errors.contains(message) { errors.append(message) }
        }
        return errors
    }

    private static let declarations = """
        typedef signed char BOOL; typedef unsigned long NSUInteger; typedef double NSTimeInterval, CFTimeInterval;
        typedef unsigned char Boolean; typedef int int32_t; typedef struct __CFString *CFStringRef;
        typedef struct __CFRunLoop *CFRunLoopRef; typedef struct __CFRunLoopMode *CFRunLoopModeRef;
        #define YES ((BOOL)1)
        #define NO ((BOOL)0)
        @class NSString, NSThread, NSArray;
        __attribute__((objc_root_class)) @interface NSObject
        + (instancetype)alloc;
        - (instancetype)init;
        - (void)performSelector:(SEL)method onThread:(NSThread *)thread withObject:(id)object waitUntilDone:(BOOL)waits;
        - (void)performSelector:(SEL)method withObject:(id)object afterDelay:(NSTimeInterval)delay;
        @end
        @interface NSThread : NSObject
        - (instancetype)initWithTarget:(id)target selector:(SEL)method object:(id)object;
        - (void)start;
        @end
        @interface NSTimer : NSObject
        @end
        @interface NSRunLoop : NSObject
        + (NSRunLoop *)mainRunLoop;
        - (void)addTimer:(NSTimer *)timer forMode:(NSString *)mode;
        @end
        @interface CADisplayLink : NSObject
        - (void)addToRunLoop:(NSRunLoop *)loop forMode:(NSString *)mode;
        @end
        extern NSString *const NSDefaultRunLoopMode, *const NSRunLoopCommonModes;

        """
}
