import { faults } from './faults.ts'
import { below, type Folders, type Pattern, readPattern } from './capability.ts'

/** The levels of trust, the least first. */
export const TRUST_LEVELS = ['untrusted', 'probationary', 'trusted', 'veteran', 'autonomous'] as const

/**
 * How far a run is trusted. It is said by whoever starts the run, never by a program, its context or a file beside it.
 */
export type Trust = (typeof TRUST_LEVELS)[number]

/** The level that a word names; `from` says where it was written, for the fault `R3013`. */
export function readTrust(word: string, from: string): Trust {
  const level = TRUST_LEVELS.find((known) => known === word.trim().toLowerCase())
  if (level !== undefined) return level
  throw faults.make('R3013', `${from} says ${JSON.stringify(word)}; trust is ${TRUST_LEVELS.join(', ')}`, {
    fix: `write one of ${TRUST_LEVELS.join(', ')}`,
  })
}

/** The lesser of two levels: what a file beside a program may do is lower. */
export function lesserTrust(a: Trust, b: Trust): Trust {
  return TRUST_LEVELS[Math.min(TRUST_LEVELS.indexOf(a), TRUST_LEVELS.indexOf(b))] ?? 'untrusted'
}

/** A grant, and what it leaves out. */
export interface Grant {
  readonly pattern: Pattern
  readonly except: readonly Pattern[]
}

const READERS = ['git.root', 'git.log', 'git.tag', 'git.show', 'git.diff', 'git.sample', 'file.read', 'file.list', 'json.read']

/** Deciding and asking is for everybody: what an effect touches is asked for by itself. */
const EVERYBODY = [
  'arbor://orchestrator/execute/**',
  'arbor://human/ask',
  ...READERS.map((name) => `arbor://tool/${name}`),
  'arbor://tool/file.write',
]
const TRUSTED = ['arbor://tool/**', 'arbor://shell/exec/**']

/**
 * What a level grants by itself. `untrusted`: the run's own folder. `probationary`: beside it, reading below the work
 * folder. `trusted` and more: writing there, every tool, and commands. Folders that Reflex keeps for itself are left
 * out of the work folder; the run's own lies in one of them and is granted by itself.
 */
export function grantsOf(trust: Trust, folders: Folders, reserved: readonly string[]): readonly Grant[] {
  const level = TRUST_LEVELS.indexOf(trust)
  const plain = [...EVERYBODY, ...(level >= TRUST_LEVELS.indexOf('trusted') ? TRUSTED : [])]
  const work = (prefix: string): Grant => ({
    pattern: below(prefix, folders.work),
    except: reserved.map((folder) => below(prefix, folder)),
  })
  return [
    ...plain.map((text) => ({ pattern: constant(text), except: [] })),
    ...['arbor://fs/read', 'arbor://fs/write'].map((prefix) => ({ pattern: below(prefix, folders.run), except: [] })),
    ...(level >= TRUST_LEVELS.indexOf('probationary') ? [work('arbor://fs/read')] : []),
    ...(level >= TRUST_LEVELS.indexOf('trusted') ? [work('arbor://fs/write')] : []),
  ]
}

function constant(text: string): Pattern {
  const pattern = readPattern(text)
  if ('problem' in pattern) throw new TypeError(`${text}: ${pattern.problem}`)
  return pattern
}
