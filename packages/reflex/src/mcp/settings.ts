import { canonicalJson, type Fault } from '../kernel/index.ts'
import type { PinnedServer, PolicyFile, ServerSpec } from '../policy/index.ts'
import { suggest } from '../text/index.ts'
import { mcpFaults } from './faults.ts'

/** The parts of a server that decide what is started, or where requests go. */
const IDENTITY = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'token'] as const

/** The servers that a settings file proposes and those that the operator allows. */
export interface ServerSettings {
  /** Proposed by a file beside programs. */
  readonly proposed?: Readonly<Record<string, ServerSpec>> | undefined
  /** The settings file, for messages. */
  readonly file?: string | undefined
  /** Named by the operator's own policy. */
  readonly allowed: Readonly<Record<string, PinnedServer>>
  /** Policy files whose servers do not count, because they are in the folder of the settings file. */
  readonly ignored?: readonly string[] | undefined
}

/** Returns the text that says what a server is: two servers with the same text are one. */
export function identityOf(spec: ServerSpec): string {
  return canonicalJson(Object.fromEntries(IDENTITY.flatMap((key) => (spec[key] === undefined ? [] : [[key, spec[key]]]))))
}

/** Returns the settings of a server that may be started. Throws `R4500`, with what to do, for any other. */
export function allowedServer(name: string, settings: ServerSettings): PinnedServer {
  const refused = refusal(name, settings)
  const allowed = settings.allowed[name]
  if (refused !== undefined || allowed === undefined) throw refused ?? unknown(name, settings)
  return allowed
}

/** Returns the fault of a server that may not be started; undefined for one that may. */
export function refusal(name: string, { proposed = {}, allowed, ignored = [] }: ServerSettings): Fault | undefined {
  const [mine, theirs] = [
    Object.hasOwn(allowed, name) ? allowed[name] : undefined,
    Object.hasOwn(proposed, name) ? proposed[name] : undefined,
  ]
  if (theirs === undefined) return undefined
  const fix = `reflex mcp pin ${name}`
  const hint = ignored.length === 0 ? '' : `; ${ignored.join(', ')} does not count, because it is in the folder of the settings`
  if (mine === undefined)
    return mcpFaults.make('R4500', `no policy of yours names the server ${name}${hint}`, {
      fix: `${fix}, and add the line that it prints to --policy FILE`,
    })
  if (identityOf(mine) === identityOf(theirs)) return undefined
  return mcpFaults.make(
    'R4500',
    `the server ${name} is not the one that your policy names: ${shownServer(theirs)}, not ${shownServer(mine)}`,
    {
      fix: `${fix}, and replace the line of the policy`,
    },
  )
}

function unknown(name: string, { proposed = {}, allowed }: ServerSettings): Fault {
  const names = [...new Set([...Object.keys(proposed), ...Object.keys(allowed)])]
  const guess = suggest(name, names)
  return mcpFaults.make('R4500', `there is no server ${JSON.stringify(name)}${guess === undefined ? '' : `; did you mean ${guess}?`}`, {
    fix: names.length === 0 ? 'name it in "mcp" of reflex.config.json or of a policy file' : `servers: ${names.join(', ')}`,
  })
}

/** Returns the command or the address of a server, on one line. */
export function shownServer({ command, args = [], url }: ServerSpec): string {
  if (command === undefined) return url ?? 'nothing'
  const line = [command, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}

/** Returns the entry that allows a server, as the policy has it. */
export function pinLine(name: string, entry: PinnedServer): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(entry)}`
}

/** Replaces `${NAME}` by the variables of the environment. Throws `R4513` for one that is not set. */
export function resolveReferences(text: string, environment: Readonly<Record<string, string | undefined>>, server: string): string {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = environment[name]
    if (value === undefined || value === '')
      throw mcpFaults.make('R4513', `the server ${server} needs the variable ${name}, which is not set`, { fix: `export ${name}=VALUE` })
    return value
  })
}

/** Returns the values of the variables to which servers refer: they are secrets. */
export function secretsOfServers(
  proposed: { readonly servers: Readonly<Record<string, ServerSpec>> } | undefined,
  policy: readonly Pick<PolicyFile, 'mcp'>[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const specs = [...Object.values(proposed?.servers ?? {}), ...policy.flatMap(({ mcp = {} }) => Object.values(mcp))]
  const texts = specs.flatMap(({ token = '', env = {}, headers = {} }) => [token, ...Object.values(env), ...Object.values(headers)])
  return texts.flatMap((text) =>
    [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].flatMap(([, name = '']) => secretIn(environment[name])),
  )
}

/** A short value is too common to be searched for. */
function secretIn(value: string | undefined): readonly string[] {
  return value === undefined || value.length < 8 ? [] : [value]
}
