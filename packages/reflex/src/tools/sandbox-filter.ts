import { Buffer } from 'node:buffer'

/**
 * The calls of the system for keys, by architecture (`AUDIT_ARCH_…` of Linux): the first and the last of add_key, request_key
 * and keyctl. A sandbox has no namespace for them: its command would read the keys of the session that Reflex runs in.
 */
const KEY_CALLS: readonly (readonly [architecture: number, first: number, last: number])[] = [
  [0xc000003e, 248, 250],
  [0x40000003, 286, 288],
  [0xc00000b7, 217, 219],
  [0x40000028, 309, 311],
  [0xc00000f3, 217, 219],
  [0xc0000015, 269, 271],
  [0x80000016, 278, 280],
]

/** Places in what a filter sees of a call, and the bit that the calls of x32 have beside their number. */
const [NUMBER, ARCHITECTURE, WITHOUT_X32] = [0, 4, 0xbfffffff]
const [LOAD, AND, IF_EQUAL, IF_ABOVE, IF_AT_LEAST, RETURN] = [0x20, 0x54, 0x15, 0x25, 0x35, 0x06]
const ALLOW = 0x7fff0000
/** The call fails with `ENOSYS`, as on a system that does not have it. */
const MISSING = 0x00050000 | 38

type Step = readonly [code: number, value: number, then?: number, otherwise?: number]

/** The filter of calls for bubblewrap, a program for the kernel (`seccomp(2)`). */
export function callFilter(): Uint8Array {
  const steps: readonly Step[] = [
    [LOAD, ARCHITECTURE],
    ...KEY_CALLS.flatMap(([architecture, first, last]): Step[] => [
      [IF_EQUAL, architecture, 0, 6],
      [LOAD, NUMBER],
      [AND, WITHOUT_X32],
      [IF_AT_LEAST, first, 0, 2],
      [IF_ABOVE, last, 1, 0],
      [RETURN, MISSING],
      [RETURN, ALLOW],
    ]),
    [RETURN, ALLOW],
  ]
  const bytes = Buffer.alloc(steps.length * 8)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  // In the order of the machine, which is big-endian on s390x.
  const little = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1
  for (const [i, [code, value, then = 0, otherwise = 0]] of steps.entries()) {
    view.setUint16(i * 8, code, little)
    view.setUint8(i * 8 + 2, then)
    view.setUint8(i * 8 + 3, otherwise)
    view.setUint32(i * 8 + 4, value >>> 0, little)
  }
  return bytes
}
