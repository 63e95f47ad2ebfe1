import { type Fault, isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { faults } from './faults.ts'

/** An MCP server as a settings file or a policy describes it: a command, or an address. Values may refer to variables as `${NAME}`. */
export interface ServerSpec {
  /** The program, and its arguments. */
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  /** The variables of the process besides the usual ones. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** The folder in which it starts, below the work folder. Default: the work folder. */
  readonly cwd?: string | undefined
  /** The address of a server that is reached over HTTP. */
  readonly url?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The token that answers a 401. */
  readonly token?: string | undefined
  /** Milliseconds for one call. Default: 30,000. */
  readonly timeout?: number | undefined
}

/** A server that the operator allows. */
export interface PinnedServer extends ServerSpec {
  /** The hash of the files that the command names. */
  readonly package?: string | undefined
  /** The hash of the list of tools. */
  readonly tools: string
  /** True if the annotations of its tools are believed: a tool that only reads may be repeated. */
  readonly trusted?: boolean | undefined
  /** True if its address may be outside the public network. */
  readonly private?: boolean | undefined
  /** True if it may ask for the work folder. */
  readonly roots?: boolean | undefined
  /** The sandbox of its process. Default: that of commands of the run that calls it. */
  readonly sandbox?: 'strict' | 'none' | undefined
}

/** A name of a server: a part of the names of its tools. */
export const SERVER_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/
export const HASH = /^sha256-[0-9a-f]{64}$/

const TEXTS = { command: true, cwd: true, url: true, token: true, package: true, tools: true } as const
const FLAGS = { trusted: true, private: true, roots: true } as const
const FIELDS = [...Object.keys(TEXTS), ...Object.keys(FLAGS), 'args', 'env', 'headers', 'timeout', 'sandbox']

/** Reads the servers of a policy file. Throws `R3011` with the place of a mistake. */
export function readServers(value: Json, file: string | undefined): Readonly<Record<string, PinnedServer>> {
  const faultFor = (path: string, what: string): Fault =>
    faults.make('R3011', `${path} is not ${what}`, { file, path, fix: 'take the entry from `reflex mcp pin NAME`' })
  if (!isObject(value)) throw faultFor('mcp', 'an object of servers by name')
  for (const [name, entry] of Object.entries(value)) {
    const path = `mcp.${name}`
    if (!SERVER_NAME.test(name)) throw faultFor(path, 'a name of at most 32 letters, digits, - and _')
    if (!isObject(entry)) throw faultFor(path, 'a server')
    const wrong = problemIn(entry)
    if (wrong !== undefined) throw faultFor(`${path}${wrong.key === '' ? '' : `.${wrong.key}`}`, wrong.what)
  }
  return value as unknown as Readonly<Record<string, PinnedServer>>
}

function problemIn(entry: JsonObject): { readonly key: string; readonly what: string } | undefined {
  for (const [key, value] of Object.entries(entry)) {
    const what = expected(key, value)
    if (what !== undefined) return { key, what }
  }
  const { command, url, tools, package: files } = entry
  if ((command === undefined) === (url === undefined)) return { key: '', what: 'a server with either a command or a url' }
  if (typeof tools !== 'string' || !HASH.test(tools)) return { key: 'tools', what: 'the hash of a list of tools, sha256-…' }
  if (command !== undefined && (typeof files !== 'string' || !HASH.test(files)))
    return { key: 'package', what: 'the hash of a package, sha256-…' }
  return undefined
}

/** Returns what a value should be; undefined if it is. */
function expected(key: string, value: Json): string | undefined {
  if (Object.hasOwn(TEXTS, key)) return typeof value === 'string' && value !== '' ? undefined : 'text'
  if (Object.hasOwn(FLAGS, key)) return typeof value === 'boolean' ? undefined : 'true or false'
  switch (key) {
    case 'args':
      return isList(value) && value.every((word) => typeof word === 'string') ? undefined : 'a list of words'
    case 'env':
    case 'headers':
      return isObject(value) && Object.values(value).every((text) => typeof text === 'string') ? undefined : 'texts by name'
    case 'timeout':
      return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= 3_600_000
        ? undefined
        : 'a number of milliseconds up to one hour'
    case 'sandbox':
      return value === 'strict' || value === 'none' ? undefined : 'strict or none'
    default:
      return `one of ${FIELDS.join(', ')}`
  }
}
