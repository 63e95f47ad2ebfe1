import { Buffer } from 'node:buffer'

/**
 * The system calls for keys, by architecture (`AUDIT_ARCH_…` of Linux): the numbers from add_key over request_key to
 * keyctl. A sandbox has no namespace for keys: its command could read the keys of the session in which Reflex runs.
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

/**
 * The system calls for System V memory, semaphores and messages, and the single call that replaces them on some
 * architectures. A sandbox has its own namespace for them, limited only by the number of segments and queues: memory
 * that no process has mapped would not be counted.
 */
interface SharedCalls {
  readonly shmget: number
  readonly semget: number
  readonly msgget: number
  readonly ipc?: number
}

const SHARED_CALLS: ReadonlyMap<number, SharedCalls> = new Map([
  [0xc000003e, { shmget: 29, semget: 64, msgget: 68 }],
  [0x40000003, { shmget: 395, semget: 393, msgget: 399, ipc: 117 }],
  [0xc00000b7, { shmget: 194, semget: 190, msgget: 186 }],
  [0x40000028, { shmget: 307, semget: 299, msgget: 303 }],
  [0xc00000f3, { shmget: 194, semget: 190, msgget: 186 }],
  [0xc0000015, { shmget: 395, semget: 393, msgget: 399, ipc: 117 }],
  [0x80000016, { shmget: 395, semget: 393, msgget: 399, ipc: 117 }],
])

/**
 * The most bytes of a segment: the kernel allows 4,096 segments, so all of them together are as large as `/dev/shm`.
 * Databases need less than a page.
 */
const LARGEST_SEGMENT = 16_384
/** The most semaphores of a set; the kernel allows 32,000 sets. */
const MOST_SEMAPHORES = 32
/** The numbers of the calls behind the single call. */
const [IPC_SEMGET, IPC_MSGGET, IPC_SHMGET] = [2, 13, 23]

/** The offsets in the data that a filter gets, and the mask that removes the bit of x32 calls. */
const [NUMBER, ARCHITECTURE, ARGUMENTS, WITHOUT_X32] = [0, 4, 16, 0xbfffffff]
const [LOAD, AND, IF_EQUAL, IF_ABOVE, IF_AT_LEAST, RETURN] = [0x20, 0x54, 0x15, 0x25, 0x35, 0x06]
const ALLOW = 0x7fff0000
/** Makes the call fail with `ENOSYS`, as on a system without it. */
const NO_SYSTEM_CALL = 0x00050000 | 38
/** Makes the call fail with `ENOSPC`, as above a limit of the system. */
const NO_SPACE = 0x00050000 | 28

type Step = readonly [code: number, value: number, then?: number, otherwise?: number]

/** True if this machine is little-endian; s390x is not. */
const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** Returns the offset of one half of an argument of a call. */
function argument(index: number, half: 'low' | 'high'): number {
  return ARGUMENTS + index * 8 + ((half === 'low') === IS_LITTLE_ENDIAN ? 0 : 4)
}

/** Returns the steps for the call with this loaded number: it is allowed up to an amount in one of its arguments. */
function boundedSteps(call: number, index: number, most: number): readonly Step[] {
  return [
    [IF_EQUAL, call, 0, 6],
    [LOAD, argument(index, 'high')],
    [IF_EQUAL, 0, 0, 2],
    [LOAD, argument(index, 'low')],
    [IF_ABOVE, most, 0, 1],
    [RETURN, NO_SPACE],
    [RETURN, ALLOW],
  ]
}

function missingSteps(call: number): readonly Step[] {
  return [
    [IF_EQUAL, call, 0, 1],
    [RETURN, NO_SYSTEM_CALL],
  ]
}

function sharedSteps({ shmget, semget, msgget, ipc }: SharedCalls): readonly Step[] {
  const ipcSteps: readonly Step[] = [
    [LOAD, argument(0, 'low')],
    // The upper bits are a version.
    [AND, 0xffff],
    ...boundedSteps(IPC_SHMGET, 2, LARGEST_SEGMENT),
    ...boundedSteps(IPC_SEMGET, 2, MOST_SEMAPHORES),
    ...missingSteps(IPC_MSGGET),
    [RETURN, ALLOW],
  ]
  return [
    ...boundedSteps(shmget, 1, LARGEST_SEGMENT),
    ...boundedSteps(semget, 1, MOST_SEMAPHORES),
    ...missingSteps(msgget),
    ...(ipc === undefined ? [] : [[IF_EQUAL, ipc, 0, ipcSteps.length] as const, ...ipcSteps]),
  ]
}

/** Returns the filter of system calls for bubblewrap, a program for the kernel (`seccomp(2)`). */
export function callFilter(): Uint8Array {
  const steps: readonly Step[] = [
    [LOAD, ARCHITECTURE],
    ...KEY_CALLS.flatMap(([architecture, first, last]): Step[] => {
      const shared = SHARED_CALLS.get(architecture)
      const callSteps: readonly Step[] = [
        [LOAD, NUMBER],
        [AND, WITHOUT_X32],
        [IF_AT_LEAST, first, 0, 2],
        [IF_ABOVE, last, 1, 0],
        [RETURN, NO_SYSTEM_CALL],
        ...(shared === undefined ? [] : sharedSteps(shared)),
        [RETURN, ALLOW],
      ]
      return [[IF_EQUAL, architecture, 0, callSteps.length], ...callSteps]
    }),
    [RETURN, ALLOW],
  ]
  const bytes = Buffer.alloc(steps.length * 8)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  for (const [i, [code, value, then = 0, otherwise = 0]] of steps.entries()) {
    view.setUint16(i * 8, code, IS_LITTLE_ENDIAN)
    view.setUint8(i * 8 + 2, then)
    view.setUint8(i * 8 + 3, otherwise)
    view.setUint32(i * 8 + 4, value >>> 0, IS_LITTLE_ENDIAN)
  }
  return bytes
}
