import type { Fault } from '../../../kernel/index.ts'
import { checkSchema, didYouMean, type Locator, type Path, pathOnly, quote, quoteAll, readJson, suggest } from '../../../text/index.ts'
import type { Constraints } from '../model/constraints.ts'
import { constraintProblems } from './constraints.ts'
import { readDuration } from './duration.ts'
import { faults } from './faults.ts'
import { hostFileShape } from './host-schema.ts'

/** A way out of a graph. The value of a header is a text, or the variable of the environment that holds it. */
export type Channel =
  | { readonly type: 'process'; readonly command: readonly string[] }
  | { readonly type: 'http'; readonly url: string; readonly headers?: Readonly<Record<string, string | { readonly env: string }>> }
  | { readonly type: 'program'; readonly start: string; readonly map?: Readonly<Record<string, string>>; readonly ends_as?: string }
  | { readonly type: 'ledger'; readonly ledger: string }
  /** The channel of a run that was imported from a capture, which does not say how it was reached. No host file has one. */
  | { readonly type: 'captured' }

/** The source of the events of a run. Durations are milliseconds. */
export type Ingress =
  | { readonly type: 'process'; readonly command: readonly string[] }
  | { readonly type: 'route' }
  | { readonly type: 'timer'; readonly every: number; readonly semantic_kind: string; readonly field?: string }

/** The channel of a kind of intent, with its defaults filled in. */
export interface Route {
  readonly channel: string
  /** In milliseconds. */
  readonly ack_timeout: number
  /** True if the channel accepts an intent id once, also after a crash. Programs and ledgers do. */
  readonly keyed: boolean
  readonly on_failure: 'fail' | 'ask'
}

/** The decisions of an operator for the runs of a graph, with defaults filled in and durations in milliseconds. */
export interface HostFile {
  readonly dedupe: 'segment' | 'run'
  readonly constraints: Constraints
  readonly channels: Readonly<Record<string, Channel>>
  readonly routes: Readonly<Record<string, Route>>
  readonly ingress?: Ingress
}

/** The host of a graph without a host file. */
export const DEFAULT_HOST: HostFile = { dedupe: 'segment', constraints: {}, channels: {}, routes: {} }

/** The milliseconds in which a channel must acknowledge an intent, if the host file states nothing. */
const DEFAULT_ACK_TIMEOUT = 30_000

export interface ReadHostResult {
  readonly host?: HostFile
  readonly findings: readonly Fault[]
}

/**
 * Reads a host file from JSON with comments. Never throws. Finds the mistakes of the text (`R1001` to `R1004`), of the shape (`R1011` to
 * `R1015`), and what contradicts itself (`R1356`), each with its place. `R1358` warns about a channel without a route. Whether the commands
 * may run, and whether the graph fits, is judged elsewhere (`coverageFindings`).
 */
export function readHostFile(text: string, file?: string): ReadHostResult {
  const json = readJson(text, file)
  if (json.value === undefined) return { findings: json.findings }
  const result = checkHostFile(json.value, (path, options) => json.details(path, options))
  return { ...result, findings: [...json.findings, ...result.findings] }
}

interface RawHost {
  readonly default_ack_timeout?: string
  readonly dedupe?: 'segment' | 'run'
  readonly constraints?: Omit<Constraints, 'rate_window' | 'deadline'> & { readonly rate_window?: string; readonly deadline?: string }
  readonly channels?: Readonly<Record<string, Channel>>
  readonly routes?: Readonly<
    Record<string, Partial<Omit<Route, 'ack_timeout'>> & { readonly channel: string; readonly ack_timeout?: string }>
  >
  readonly ingress?: Exclude<Ingress, { type: 'timer' }> | { type: 'timer'; every: string; semantic_kind: string; field?: string }
}

/** Checks the value of a host file, and returns it with its defaults unless it has errors. */
export function checkHostFile(value: unknown, locate: Locator = pathOnly): ReadHostResult {
  const shape = checkSchema(hostFileShape(), value, { locate })
  if (shape.length > 0) return { findings: shape }
  const raw = value as RawHost
  const findings: Fault[] = []
  const add = (path: Path, message: string, fix: string, note?: string): void => {
    findings.push(faults.finding('R1356', message, { ...locate(path, { note }), fix }))
  }
  const host = hostOf(raw, add)
  checkRoutes(raw, add)
  if (findings.length > 0) return { findings }
  const used = new Set(Object.values(host.routes).map(({ channel }) => channel))
  const unused = Object.keys(host.channels).filter((name) => !used.has(name))
  const warnings = unused.map((name) => {
    const details = { ...locate(['channels', name], { part: 'key' }), fix: 'add a route to it, or remove it' }
    return faults.finding('R1358', `no route leads to the channel ${quote(name)}`, details)
  })
  return { host, findings: warnings }
}

type Add = (path: Path, message: string, fix: string, note?: string) => void

function hostOf(raw: RawHost, add: Add): HostFile {
  const milliseconds = (text: string | undefined, path: Path, least = 1): number | undefined => {
    if (text === undefined) return undefined
    const read = readDuration(text)
    if (read !== undefined && read >= least) return read
    add(path, `${path.join('.')} cannot be ${quote(text)}`, least > 0 ? 'write a duration from 1ms to a year' : 'write at most a year')
    return undefined
  }
  const standard = milliseconds(raw.default_ack_timeout, ['default_ack_timeout']) ?? DEFAULT_ACK_TIMEOUT
  const channels = raw.channels ?? {}
  const routes = Object.entries(raw.routes ?? {}).map(([kind, { channel, ack_timeout, keyed, on_failure = 'fail' }]) => {
    const type = Object.hasOwn(channels, channel) ? channels[channel]?.type : undefined
    const timeout = milliseconds(ack_timeout, ['routes', kind, 'ack_timeout']) ?? standard
    return [kind, { channel, ack_timeout: timeout, keyed: keyed ?? (type === 'program' || type === 'ledger'), on_failure }] as const
  })
  const ingress =
    raw.ingress?.type === 'timer' ? { ...raw.ingress, every: milliseconds(raw.ingress.every, ['ingress', 'every']) ?? 1 } : raw.ingress
  const { rate_window, deadline, ...counts } = raw.constraints ?? {}
  const window = milliseconds(rate_window, ['constraints', 'rate_window'])
  const limit = milliseconds(deadline, ['constraints', 'deadline'], 0)
  const constraints = {
    ...counts,
    ...(window === undefined ? {} : { rate_window: window }),
    ...(limit === undefined ? {} : { deadline: limit }),
  }
  // A window that cannot be read is reported once.
  const judged = rate_window !== undefined && window === undefined ? { ...constraints, rate_window: 1 } : constraints
  for (const { field, message, fix } of constraintProblems(judged)) add(['constraints', field], message, fix)
  return {
    dedupe: raw.dedupe ?? 'segment',
    constraints,
    channels,
    routes: Object.fromEntries(routes),
    ...(ingress === undefined ? {} : { ingress }),
  }
}

const PROGRAM = /^[a-z][a-z0-9_-]*:[^\s@]+(?:@\S+)?$/

function checkRoutes({ channels = {}, routes = {} }: RawHost, add: Add): void {
  const names = Object.keys(channels)
  for (const [name, channel] of Object.entries(channels)) {
    const at = ['channels', name]
    if (channel.type === 'http' && !isWebAddress(channel.url))
      add(
        [...at, 'url'],
        `channel ${quote(name)} has the url ${quote(channel.url)}`,
        'write an address that begins with https:// or http://',
      )
    if (channel.type === 'program' && !PROGRAM.test(channel.start))
      add(
        [...at, 'start'],
        `channel ${quote(name)} starts ${quote(channel.start)}`,
        'write kind:id or kind:id@version, such as "workflow:approve"',
      )
  }
  for (const [kind, { channel }] of Object.entries(routes)) {
    if (Object.hasOwn(channels, channel)) continue
    const guess = suggest(channel, names)
    const fix =
      guess !== undefined ? `write ${quote(guess)}` : names.length === 0 ? 'declare it under channels' : `write one of ${quoteAll(names)}`
    add(
      ['routes', kind, 'channel'],
      `the route of ${quote(kind)} leads to ${quote(channel)}, which is not a channel`,
      fix,
      didYouMean(guess),
    )
  }
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text)
}
