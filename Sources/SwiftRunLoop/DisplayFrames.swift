// DisplayFrames.swift: frames that a descriptor reports. Linux has no single interface for them, so a program gives the descriptor of the one
// that it uses: a DRM device, a connection to a Wayland compositor, or an eventfd of its own.

import Synchronization
public import FoundationEssentials

extension DisplayLink {
    /// A frame that the display has begun to show.
    public struct Frame: Sendable, Hashable {
        /// The start of the frame, in seconds of the monotonic clock.
        public var timestamp: TimeInterval
        /// The number of the frame, which wraps round after UInt32.max; nil if it is not known.
        ///
        /// A link finds dropped frames by the gaps.
        public var sequence: UInt32?

        /// Makes a frame.
        public init(timestamp: TimeInterval, sequence: UInt32? = nil) {
            (self.timestamp, self.sequence) = (timestamp, sequence)
        }
    }

    /// What takes frames out of a readable descriptor.
    ///
    /// For Wayland, read the display's events, and return a frame if the callback of `wl_surface_frame` was among them:
    ///
    ///     let link = DisplayLink(fileDescriptor: wl_display_get_fd(display), frames: .init { _ in
    ///         wl_display_dispatch(display)
    ///         return takeFrameOfCallback()
    ///     }) { link in draw(for: link.targetTimestamp) }
    public struct FrameReader: Sendable {
        let read: @Sendable (Int32) -> Frame?

        /// Makes a reader of your own.
        /// - Parameter read: called with the descriptor on the loop's thread, whenever the descriptor is readable. It must read what is there
        ///   without blocking, otherwise it is called again at once. It returns the newest frame, or nil if there was none.
        public init(_ read: @escaping @Sendable (Int32) -> Frame?) {
            self.read = read
        }

        /// Reads the events of a DRM device: vertical blanks and completed page flips.
        ///
        /// The device reports only what was asked for. After each frame, your program asks for the next one: by a page flip with
        /// `DRM_MODE_PAGE_FLIP_EVENT`, or by `DRM_IOCTL_WAIT_VBLANK` with `_DRM_VBLANK_EVENT`. The reader takes all events of the device, so no
        /// other code can read them (`drmHandleEvent`).
        ///
        /// This was tested with events that a test writes into a pipe in the kernel's layout. It has not been tried on hardware.
        /// - Parameter crtc: the display controller whose frames count; nil for all, if the device drives one display.
        public static func drm(crtc: UInt32? = nil) -> FrameReader {
            FrameReader { descriptor in
                frames(inDRMEvents: readBytes(from: descriptor, atMost: 4096), crtc: crtc).last
            }
        }

        /// Reads the counter of an eventfd or timerfd, which counts frames.
        ///
        /// The frame has the time of the read.
        public static func counter() -> FrameReader {
            let sequence = Atomic<UInt32>(0)
            return FrameReader { descriptor in
                guard let count = readCounter(from: descriptor) else { return nil }
                let number = sequence.wrappingAdd(UInt32(truncatingIfNeeded: count), ordering: .relaxed).newValue
                return Frame(timestamp: monotonicTime(), sequence: number)
            }
        }
    }

    /// The frames among a DRM device's events. An event begins with its type and its length; that of a frame is in the layout of
    /// `struct drm_event_vblank`, which has 32 bytes: type, length, user data (8 bytes), seconds, microseconds, sequence, controller.
    package static func frames(inDRMEvents bytes: ArraySlice<UInt8>, crtc: UInt32?) -> [Frame] {
        func integer(at offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) } // all machines that Swift runs on are little-endian
        }
        var frames: [Frame] = [], start = bytes.startIndex
        while bytes.endIndex - start >= 8 {
            let type = integer(at: start), length = Int(integer(at: start + 4))
            guard length >= 8, length <= bytes.endIndex - start else { break }
            defer { start += length }
            guard type == drmEventVerticalBlank || type == drmEventFlipComplete, length >= 32 else { continue }
            if let crtc, integer(at: start + 28) != crtc { continue }
            let time = TimeInterval(integer(at: start + 16)) + TimeInterval(integer(at: start + 20)) / 1e6
            frames.append(Frame(timestamp: time, sequence: integer(at: start + 24)))
        }
        return frames
    }
}

/// DRM_EVENT_VBLANK and DRM_EVENT_FLIP_COMPLETE of <drm/drm.h>.
private let drmEventVerticalBlank: UInt32 = 1, drmEventFlipComplete: UInt32 = 2
