import { faults } from './faults.ts'
import { patternBelow, type Folders, type Pattern, readPattern } from './capability.ts'

/** The trust levels from lowest to highest. */
export const TRUST_LEVELS = ['untrusted', 'probationary', 'trusted', 'veteran', 'autonomous'] as const

/** The trust level of a run. The person who starts the run sets it, never a program, its context or a file next to it. */
export type Trust = (typeof TRUST_LEVELS)[number]

/** Parses a trust level. Throws `R3013`; `from` names the source of the word. */
export function readTrust(word: string, from: string): Trust {
  const level = TRUST_LEVELS.find((known) => known === word.trim().toLowerCase())
  if (level !== undefined) return level
  throw faults.make('R3013', `${from} says ${JSON.stringify(word)}; trust is ${TRUST_LEVELS.join(', ')}`, {
    fix: `write one of ${TRUST_LEVELS.join(', ')}`,
  })
}

/** Returns the lower of two levels. A file next to a program can only lower the level. */
export function lesserTrust(a: Trust, b: Trust): Trust {
  return TRUST_LEVELS[Math.min(TRUST_LEVELS.indexOf(a), TRUST_LEVELS.indexOf(b))] ?? 'untrusted'
}

/** A grant with its exceptions. */
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
 * The grants of each level, in addition to those of the lower levels. Every level may decide and ask: the capabilities that an
 * effect, a called program or an item needs are checked separately. Commands need a sandbox below `trusted` (decisions, trust
 * and commands). No level grants a host: the operator names it.
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
 * Returns the grants of a level. `untrusted`: the run's own folder. `probationary`: also files below the work folder and
 * commands in a sandbox. `trusted` and higher: every tool, and commands without a sandbox. Folders that are reserved for Reflex
 * are excluded from the work folder; the run's own folder is granted separately. The `.git` folder of the work folder is
 * read-only, except for git itself.
 */
export function grantsOf(trust: Trust, folders: Folders, reserved: readonly string[]): readonly Grant[] {
  const levels = TRUST_LEVELS.slice(0, TRUST_LEVELS.indexOf(trust) + 1)
  const [read, write] = ['arbor://fs/read', 'arbor://fs/write']
  const files = [read, write]
  // The next git command of the user would run a hook or a setting there, outside every sandbox.
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
