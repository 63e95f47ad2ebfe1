import { causeOf, type Fault, type FaultDetails, isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { readPattern, type FileRule, fileRulesOf, type Folders } from './capability.ts'
import { faults } from './faults.ts'
import { mismatchReason } from './roots.ts'
import { BOUNDED_FIELDS, COMMAND_FIELDS, FIELDS, INSTANT, MIN_PROCESSES, ROOT, SIZE } from './policy-schema.ts'
import { type PinnedServer, readServers } from './servers.ts'
import type { BoundedGrant } from './terms.ts'

/** The grants and denials of an operator, in addition to the grants of the trust level. A denial wins over every grant. */
export interface PolicyFile {
  /** The file that it was read from, for messages. */
  readonly file?: string | undefined
  /** The agent to whose runs the rules apply, as named when a run starts. Absent: all runs. */
  readonly agent?: string | undefined
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  /** The first steps of capabilities that the operator's own tools and handlers need, such as `deploy` for `arbor://deploy/prod`. */
  readonly roots?: readonly string[]
  /** Capabilities that a person must confirm before a stage uses them, even if the trust level grants them. */
  readonly ask?: readonly string[]
  /** Grants with an end time or a number of uses. */
  readonly bounded?: readonly BoundedGrant[]
  /** The limits of a command in the sandbox and all its child processes: bytes of memory, processes and threads. */
  readonly commands?: { readonly memory?: number; readonly processes?: number }
  /** The MCP servers that may be started, by name. Ignored in a file that is in the folder of the settings file. */
  readonly mcp?: Readonly<Record<string, PinnedServer>>
}

/** The default agent of a run (seed pipeline 5.2). */
export const SYSTEM_AGENT = 'agent_system'

/** Returns the rules that apply to the runs of an agent. */
export function rulesFor<Rules extends Pick<Partial<PolicyFile>, 'agent'>>(
  files: readonly Rules[],
  agent = SYSTEM_AGENT,
): readonly Rules[] {
  return files.filter((file) => file.agent === undefined || file.agent === agent)
}

/**
 * Parses a `*.policy.json`. Refuses anything unknown (`R3010` to `R3012`), with the position or the path: an ignored rule would
 * change permissions without notice.
 */
export function readPolicy(text: string, file?: string): PolicyFile {
  const value = parse(text, file)
  if (!isObject(value)) throw faults.make('R3011', 'the policy is not an object', { file })
  const repeated = repeatedKey(text)
  if (repeated !== undefined)
    throw faults.make('R3011', `the policy has ${JSON.stringify(repeated)} twice in one object, and only the last would count`, {
      file,
      fix: 'put the rules of both into one list',
    })
  for (const field of Object.keys(value)) {
    if (FIELDS.includes(field) || field === '$schema') continue
    throw faults.make(
      'R3011',
      `the policy has ${JSON.stringify(field)}; it can have ${FIELDS.map((name) => JSON.stringify(name)).join(', ')}`,
      {
        file,
        path: field,
        fix: 'correct or remove it',
      },
    )
  }
  const { agent } = value
  if (agent !== undefined && (typeof agent !== 'string' || agent === ''))
    throw faults.make('R3011', '"agent" is not the name of an agent', { file, path: 'agent', fix: 'write it as in "agent": "reviewer"' })
  const roots = readRoots(value.roots, file)
  const commands = value.commands === undefined ? undefined : readCommands(value.commands, file)
  const allowed = isList(value.allow) ? value.allow : undefined
  const ask = patterns(value.ask, 'ask', { file, roots })
  const bounded = (allowed ?? []).flatMap((grant, i) => (isObject(grant) ? [readBounded(grant, `allow[${i}]`, { file, roots })] : []))
  const plain = allowed?.filter((grant) => !isObject(grant)) ?? value.allow
  return {
    file,
    ...(agent === undefined ? {} : { agent }),
    allow: patterns(plain, 'allow', { file, roots }),
    deny: patterns(value.deny, 'deny', { file, roots }),
    ...(ask.length === 0 ? {} : { ask }),
    ...(bounded.length === 0 ? {} : { bounded }),
    ...(roots.length === 0 ? {} : { roots }),
    ...(commands === undefined ? {} : { commands }),
    ...(value.mcp === undefined ? {} : { mcp: readServers(value.mcp, file) }),
  }
}

/** The source of a rule: its file, and the roots that this file declares in addition to those of Reflex. */
type Rules = Pick<PolicyFile, 'file' | 'roots'>

function readRoots(value: Json | undefined, file: string | undefined): readonly string[] {
  if (value === undefined) return []
  const words = isList(value) ? value.filter((word) => typeof word === 'string' && ROOT.test(word)) : []
  if (isList(value) && words.length === value.length) return words as string[]
  throw faults.make('R3011', '"roots" is not a list of words', { file, path: 'roots', fix: 'write them as in "roots": ["deploy"]' })
}

const UNITS: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }
/** The smallest memory with which a program starts. */
const MIN_MEMORY = 16 * 2 ** 20

/** Parses the limits of a command: `{"memory": "512 MiB", "processes": 64}`. */
function readCommands(value: Json, file: string | undefined): NonNullable<PolicyFile['commands']> {
  const faultFor = (path: string, what: string): Fault =>
    faults.make('R3011', `${path} is not ${what}`, {
      file,
      path,
      fix: 'write it as in {"commands": {"memory": "512 MiB", "processes": 64}}',
    })
  if (!isObject(value)) throw faultFor('commands', 'an object')
  const unknown = Object.keys(value).find((field) => !COMMAND_FIELDS.includes(field))
  if (unknown !== undefined) throw faultFor(`commands.${unknown}`, `one of ${COMMAND_FIELDS.join(', ')}`)
  const { memory, processes } = value
  const bytes = memory === undefined ? undefined : bytesOf(memory)
  if (bytes !== undefined && !(Number.isSafeInteger(bytes) && bytes >= MIN_MEMORY))
    throw faultFor('commands.memory', 'a size of 16 MiB or more, such as "512 MiB"')
  if (processes !== undefined && !(typeof processes === 'number' && Number.isSafeInteger(processes) && processes >= MIN_PROCESSES))
    throw faultFor('commands.processes', `a whole number of ${MIN_PROCESSES} or more`)
  return { ...(bytes === undefined ? {} : { memory: bytes }), ...(processes === undefined ? {} : { processes }) }
}

/** Returns the bytes of `"512 MiB"`; `NaN` for anything else. */
function bytesOf(value: Json): number {
  const [, count = '', unit = ''] = (typeof value === 'string' ? SIZE.exec(value) : null) ?? []
  return Number(count || 'none') * (UNITS[unit] ?? Number.NaN)
}

/** Parses a grant with an end: `{"capability": "arbor://…", "expires_at": "2027-01-31T00:00:00Z", "max_uses": 3}`. */
function readBounded(grant: JsonObject, path: string, rules: Rules): BoundedGrant {
  const { file } = rules
  const faultFor = (field: string, what: string): Fault =>
    faults.make('R3011', `${path}.${field} is not ${what}`, { file, path: `${path}.${field}`, fix: 'correct or remove it' })
  const unknown = Object.keys(grant).find((field) => !BOUNDED_FIELDS.includes(field))
  if (unknown !== undefined) throw faultFor(unknown, `one of ${BOUNDED_FIELDS.join(', ')}`)
  const { capability, expires_at: until, max_uses: most } = grant
  const expiresAt = until === undefined ? undefined : typeof until === 'string' ? instantOf(until) : Number.NaN
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) throw faultFor('expires_at', 'a date with its time and zone')
  if (most !== undefined && !(typeof most === 'number' && Number.isSafeInteger(most) && most > 0))
    throw faultFor('max_uses', 'a number above 0')
  return {
    capability: checkPattern(capability, `${path}.capability`, rules),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(most === undefined ? {} : { maxUses: most }),
  }
}

function instantOf(text: string): number {
  return INSTANT.test(text) ? Date.parse(text) : Number.NaN
}

function parse(text: string, file: string | undefined): Json {
  try {
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text) as Json
  } catch (thrown) {
    const cause = causeOf(thrown)
    const message = typeof cause === 'string' ? cause : cause.message
    throw faults.make('R3010', 'the policy is not JSON', { file, ...placeIn(message), cause: message })
  }
}

/** Returns the line and column in the message of the parser, if it has them. */
function placeIn(message: string): FaultDetails {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? []
  return line === undefined ? {} : { line: Number(line), column: Number(column) }
}

function patterns(list: Json | undefined, field: string, rules: Rules): readonly string[] {
  const { file } = rules
  if (list === undefined) return []
  if (!isList(list)) throw faults.make('R3011', `"${field}" is not a list of capabilities`, { file, path: field })
  return list.map((text, i) => checkPattern(text, `${field}[${i}]`, rules))
}

/** Returns the text of a grant or a denial if it is valid and can match something. Throws `R3012` otherwise. */
export function checkPattern(text: unknown, path: string, { file, roots }: Rules): string {
  const shown = typeof text === 'string' ? text : JSON.stringify(text)
  const read = typeof text === 'string' ? readPattern(text) : { problem: 'it is not text' }
  if ('problem' in read) throw faults.make('R3012', `${path} is not a capability: ${read.problem}: ${shown}`, { file, path })
  const reason = mismatchReason(read, roots)
  if (reason === undefined) return shown
  throw faults.make('R3012', `${path} can never match, ${reason}: ${shown}`, {
    file,
    path,
    fix: 'correct it; if a tool of your own needs it, name its first step in "roots"',
  })
}

/** Returns a key that occurs twice in one object of a valid JSON text: only the last would count. */
function repeatedKey(text: string): string | undefined {
  const open: Set<string>[] = []
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') open.push(new Set())
    else if (text[at] === '}') open.pop()
    if (text[at] !== '"') continue
    const end = endOf(text, at)
    if (isKey(text, end)) {
      const name = JSON.parse(text.slice(at, end)) as string
      const keys = open.at(-1)
      if (keys?.has(name) === true) return name
      keys?.add(name)
    }
    at = end - 1
  }
  return undefined
}

/** Returns the position after the quoted text that begins at a position. */
function endOf(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1
    if (text[at] === '\\') at++
  }
  return text.length
}

function isKey(text: string, from: number): boolean {
  let at = from
  while (' \t\r\n'.includes(text[at] ?? 'x')) at++
  return text[at] === ':'
}

/**
 * Returns the operator's rules that deny files or restrict them to terms. The view of files in the sandbox of a command is
 * built from them, because a command opens files by itself.
 */
export function fileRules(grants: readonly Partial<PolicyFile>[], folders: Folders): readonly FileRule[] {
  const texts = grants.flatMap(({ deny = [], ask = [], bounded = [] }) => [...deny, ...ask, ...bounded.map(({ capability }) => capability)])
  return texts.flatMap((text) => {
    const pattern = readPattern(text, folders)
    return 'problem' in pattern ? [] : fileRulesOf(pattern)
  })
}
