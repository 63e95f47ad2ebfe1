import { sep } from 'node:path'

const SCHEME = 'arbor://'
const ONE = Symbol('*')
const REST = Symbol('**')

/** The capability that an effect needs, such as `arbor://fs/read/srv/notes.txt`, with decoded steps. */
export interface Capability {
  readonly text: string
  readonly steps: readonly string[]
}

/** The pattern of a grant or a denial: a capability in which a step may be `*` and the last may be `**`. */
export interface Pattern {
  readonly text: string
  readonly steps: readonly (string | typeof ONE | typeof REST)[]
}

/** The reason why a text is not a capability. */
export interface CapabilityProblem {
  readonly problem: string
}

/**
 * Parses the capability that an effect needs. Decodes each step once, and nowhere else. Refuses a step that is empty, `.`,
 * `..`, a wildcard, or contains a separator, so no spelling of a path can name another path. With folders, replaces the steps
 * `{work}`, `{run}` and `{home}`, which programs use before they run.
 */
export function readCapability(text: string, folders?: Folders): Capability | CapabilityProblem {
  const steps: string[] = []
  for (const step of rawSteps(text)) {
    const folder = folderOf(step, folders)
    if (folder !== undefined) {
      steps.push(...pathSteps(folder))
      continue
    }
    const plain = step.includes('*') ? { problem: `* is only for grants and denials: ${step}` } : decode(step, steps)
    if (typeof plain !== 'string') return plain
    steps.push(plain)
  }
  return text.startsWith(SCHEME) ? { text, steps } : { problem: `it does not begin with ${SCHEME}` }
}

/** The folders for the steps `{work}`, `{run}` and `{home}` of a grant. */
export interface Folders {
  readonly work: string
  readonly run: string
  readonly home?: string | undefined
}

/** Parses a grant. With folders, replaces the steps `{work}`, `{run}` and `{home}`. */
export function readPattern(text: string, folders?: Folders): Pattern | CapabilityProblem {
  if (!text.startsWith(SCHEME)) return { problem: `it does not begin with ${SCHEME}` }
  const raw = rawSteps(text)
  const steps: Pattern['steps'][number][] = []
  for (const [i, step] of raw.entries()) {
    if (step === '*') steps.push(ONE)
    else if (step === '**' && i === raw.length - 1) steps.push(REST)
    else if (step === '**') return { problem: '** matches all steps that follow, so it must be the last step' }
    else if (folderOf(step, folders) !== undefined) steps.push(...pathSteps(folderOf(step, folders) ?? ''))
    else {
      const plain = step.includes('*') ? { problem: `a star must be a whole step: ${step}` } : decode(step, steps)
      if (typeof plain !== 'string') return plain
      steps.push(plain)
    }
  }
  return { text, steps }
}

/** Returns a grant for a folder and everything in it. */
export function patternBelow(prefix: string, folder: string): Pattern {
  const head = rawSteps(prefix)
  return { text: `${prefix}${folder}/**`, steps: [...head, ...pathSteps(folder), REST] }
}

/** True if a grant covers a capability. `**` covers zero or more steps. */
export function covers(pattern: Pattern, { steps }: Capability): boolean {
  const length = pattern.steps.length
  if (pattern.steps[length - 1] !== REST) return length === steps.length && matchesStart(pattern.steps, steps, length)
  return steps.length >= length - 1 && matchesStart(pattern.steps, steps, length - 1)
}

/** True if a grant may cover something below a capability that is only partly known. */
export function reaches({ steps: pattern }: Pattern, { steps }: Capability): boolean {
  return matchesStart(pattern, steps, Math.min(steps.length, pattern.at(-1) === REST ? pattern.length - 1 : pattern.length))
}

/** True if a grant has no star. */
export function isExact({ steps }: Pattern): boolean {
  return steps.every((step) => typeof step === 'string')
}

function matchesStart(pattern: Pattern['steps'], steps: readonly string[], count: number): boolean {
  for (let i = 0; i < count; i++) if (pattern[i] !== ONE && pattern[i] !== steps[i]) return false
  return true
}

/** Returns the same rule for real paths: resolves links in the steps before the first star. */
export function resolvedPattern(pattern: Pattern, real: (path: string) => string): Pattern {
  const [root, use, ...path] = pattern.steps
  const star = path.findIndex((step) => typeof step !== 'string')
  const plain = path.slice(0, star < 0 ? path.length : star)
  if (root !== 'fs' || use === undefined || plain.length === 0) return pattern
  const found = real(`${sep === '/' ? sep : ''}${plain.join(sep)}`)
  return { text: pattern.text, steps: [root, use, ...pathSteps(found), ...path.slice(plain.length)] }
}

/** A rule about files: the steps of a path; null is any step. */
export interface FileRule {
  readonly use: 'read' | 'write'
  readonly steps: readonly (string | null)[]
  /** True if it also covers everything below. */
  readonly below: boolean
}

/** Returns the files that a pattern covers, separately for each use. */
export function fileRulesOf({ steps }: Pattern): readonly FileRule[] {
  const [root, use, ...path] = steps
  if (root !== 'fs' && typeof root === 'string') return []
  const below = steps.at(-1) === REST
  const all = (['read', 'write'] as const).filter((one) => typeof use !== 'string' || use === one)
  const named = path.flatMap((step) => (step === REST ? [] : [typeof step === 'string' ? step : null]))
  return all.map((one) => ({ use: one, steps: named, below }))
}

/** Returns the folder for a step. */
function folderOf(step: string, folders: Folders | undefined): string | undefined {
  return step === '{work}' ? folders?.work : step === '{run}' ? folders?.run : step === '{home}' ? folders?.home : undefined
}

function pathSteps(path: string): string[] {
  return path.split(sep).filter((step) => step !== '')
}

function rawSteps(text: string): string[] {
  return text.slice(SCHEME.length).split('/')
}

/** Decodes a step; a host becomes its canonical spelling for comparisons. */
function decode(step: string, before: Pattern['steps']): string | CapabilityProblem {
  if (/[?#\\\s]/.test(step)) return { problem: `${JSON.stringify(step)} has a character that must be percent-encoded` }
  let plain: string
  try {
    plain = decodeURIComponent(step)
  } catch {
    return { problem: `${JSON.stringify(step)} is not percent-encoded UTF-8` }
  }
  if (plain === '') return { problem: 'it has an empty step' }
  if (plain === '.' || plain === '..') return { problem: `it has the step ${plain}; paths are written out` }
  if (/[/\\\0]/.test(plain)) return { problem: `the step ${JSON.stringify(step)} has a separator inside` }
  if (before.length !== 1 || before[0] !== 'net') return plain
  return hostName(plain) ?? { problem: `${JSON.stringify(step)} is not a host; remove the port and the path` }
}

/**
 * Returns the canonical spelling of a host: lower case, no dot at its end, non-ASCII letters in punycode, an address in its
 * shortest form without a zone, an IPv4-mapped IPv6 address as IPv4. Undefined for a text that is not a host: a port, a path
 * and a user are not part of it.
 */
function hostName(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1')
  const isAddress = bare.includes(':')
  if (/[\s/?#@\\]/.test(bare)) return undefined
  const url = URL.parse(`http://${isAddress ? `[${bare.replace(/%[^]*$/, '')}]` : bare}/`)
  const host = withoutLastDots(url?.hostname.replace(/^\[|\]$/g, '') ?? '')
  return host === '' ? undefined : (mappedAddress(host) ?? host)
}

/** Removes the dots at the end. A regular expression would search again from each dot. */
function withoutLastDots(host: string): string {
  let end = host.length
  while (host[end - 1] === '.') end--
  return host.slice(0, end)
}

/** Returns the IPv4 address in `::ffff:7f00:1`. */
function mappedAddress(host: string): string | undefined {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host) ?? []
  if (high === undefined || low === undefined) return undefined
  return [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join('.')
}
