import { type Fault, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { textOf } from '../model/text-of.ts'
import { faults } from '../model/faults.ts'
import type { TreeStep } from './tree-step.ts'

/** The ways in which a running tree is replaced: at its end, or at once after it was cancelled. */
export const RELOAD_POLICIES = ['let_finish_then_swap', 'cancel_and_restart'] as const
export type ReloadPolicy = (typeof RELOAD_POLICIES)[number]

/** The version that replaces a tree: programs that were registered before, by their hashes. */
export interface ReloadRequest extends JsonObject {
  /** The hash of the tree. */
  readonly hash: string
  /** The hashes of the trees to which it refers, by their names as `tree:id`. */
  readonly trees: { readonly [name: string]: string }
  readonly policy: ReloadPolicy
  /** The file that was read, for people. */
  readonly file?: string
}

/** Returns a policy by its name: `-` and `_` are the same. Returns `R1217` for another one. */
export function readPolicy(name: Json | undefined): ReloadPolicy | Fault {
  const word = typeof name === 'string' ? name.toLowerCase().replaceAll('-', '_') : undefined
  const policy = RELOAD_POLICIES.find((one) => one === word)
  if (policy !== undefined) return policy
  return faults.make('R1217', `${quote(textOf(name))} is not a way to reload a tree`, {
    fix: `write ${RELOAD_POLICIES.join(' or ')}`,
    data: { policy: name ?? null },
  })
}

export function readReload(given: Json | undefined): ReloadRequest | Fault {
  const { hash, trees = {}, policy = RELOAD_POLICIES[0], file } = isObject(given) ? given : {}
  const read = readPolicy(policy)
  if (typeof read !== 'string') return read
  if (typeof hash !== 'string' || !isObject(trees) || !Object.values(trees).every((one) => typeof one === 'string'))
    return faults.make('R1217', 'a reload names no program: its hash is missing', { fix: 'register the program, and send its hash' })
  return { hash, trees: trees as ReloadRequest['trees'], policy: read, ...(typeof file === 'string' ? { file } : {}) }
}

/** Under this name a run keeps a version that waits, so that another process has it, too. */
export const NEXT = '~next'
/** The key of a version that waits for the end of the execution. There is one at most: a newer one replaces it. */
export const RELOAD_KEY = '_reload'

/** A version that waits, and what follows when it is there. */
export interface PendingReload extends ReloadRequest {
  /** True: the execution was cancelled for it, and begins again with its event. */
  readonly restarts?: boolean
  /** The time until which programs that the cancelled execution has called may end, in milliseconds since the epoch. */
  readonly until?: number
}

export function pendingReload(x: { get(key: string): Json | undefined }): PendingReload | undefined {
  return x.get(RELOAD_KEY) as PendingReload | undefined
}

export function hasReload(x: TreeStep): boolean {
  return pendingReload(x) !== undefined
}

/** True if the tree has been cancelled for another version. */
export function restarts(x: TreeStep): boolean {
  return pendingReload(x)?.restarts === true
}

export function keepReload(x: TreeStep, pending: PendingReload | undefined): void {
  if (pending === undefined) x.delete(RELOAD_KEY)
  else x.setInternal(RELOAD_KEY, pending)
}
