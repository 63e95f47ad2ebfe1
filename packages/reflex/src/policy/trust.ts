import { faults } from './faults.ts'
import { patternBelow, type Folders, type Pattern, readPattern } from './capability.ts'

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

const READERS = [
  'git.root',
  'git.log',
  'git.tag',
  'git.show',
  'git.diff',
  'git.sample',
  'file.read',
  'file.list',
  'file.search',
  'json.read',
]

/**
 * What each level grants beside those before it. Deciding and asking is for everybody: what an effect touches is asked for
 * by itself, and what a called program or an item does as well. Commands need a sandbox below `trusted` (decisions, trust
 * and commands). A host is granted by no level: the operator names it.
 */
const GRANTS: Readonly<Record<Trust, readonly string[]>> = {
  untrusted: [
    'arbor://orchestrator/execute/**',
    'arbor://orchestrator/map/dispatch',
    'arbor://human/ask',
    ...READERS.map((name) => `arbor://tool/${name}`),
    'arbor://tool/file.write',
    'arbor://tool/file.edit',
    'arbor://tool/http',
  ],
  probationary: [
    'arbor://orchestrator/invoke',
    'arbor://orchestrator/adapt/probationary',
    'arbor://tool/command',
    'arbor://tool/shell',
    'arbor://shell/exec',
  ],
  trusted: [
    'arbor://orchestrator/adapt/trusted',
    'arbor://tool/**',
    'arbor://shell/exec/**',
    'arbor://memory/**',
    'arbor://eval/**',
    'arbor://action/**',
    'arbor://function/**',
  ],
  veteran: ['arbor://orchestrator/adapt/veteran'],
  autonomous: ['arbor://orchestrator/adapt/autonomous'],
}

/**
 * What a level grants by itself. `untrusted`: the run's own folder. `probationary`: beside it, files below the work folder
 * and commands in a sandbox. `trusted` and more: every tool, and commands without one. Folders that Reflex keeps for
 * itself are left out of the work folder; the run's own lies in one of them and is granted by itself. What lies in the
 * `.git` of the work folder may be read and not written: git itself writes it.
 */
export function grantsOf(trust: Trust, folders: Folders, reserved: readonly string[]): readonly Grant[] {
  const levels = TRUST_LEVELS.slice(0, TRUST_LEVELS.indexOf(trust) + 1)
  const [read, write] = ['arbor://fs/read', 'arbor://fs/write']
  const files = [read, write]
  // A hook or a setting that a run leaves there is run by the next git command of its user, outside every sandbox.
  const readOnly = [...reserved, `${folders.work}/.git`]
  const work = (prefix: string): Grant => ({
    pattern: patternBelow(prefix, folders.work),
    except: (prefix === write ? readOnly : reserved).map((folder) => patternBelow(prefix, folder)),
  })
  return [
    ...levels.flatMap((level) => GRANTS[level]).map((text) => ({ pattern: fixedPattern(text), except: [] })),
    ...files.map((prefix) => ({ pattern: patternBelow(prefix, folders.run), except: [] })),
    ...(levels.includes('probationary') ? files.map(work) : []),
  ]
}

function fixedPattern(text: string): Pattern {
  const pattern = readPattern(text)
  if ('problem' in pattern) throw new TypeError(`${text}: ${pattern.problem}`)
  return pattern
}
