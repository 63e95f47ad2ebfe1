import { existsSync, realpathSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { z } from 'zod'
import { CONFIG, nearestConfig } from './config-file.ts'
import { BUILT_IN } from './kinds.ts'
import { faults } from '../runs/faults.ts'
import { type Fault, isFault, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { readText } from '../programs/read-text.ts'
import { SERVER_NAME, type ServerSpec, type Trust, TRUST_LEVELS } from '../policy/index.ts'
import { checkSchema, type JsonText, once, quote, readJson } from '../text/index.ts'

/** Returns the schema of a proposed server. */
function server(): z.ZodType<ServerSpec> {
  const text = z.string().min(1)
  const texts = z.record(z.string(), z.string()).optional()
  const timeout = z.int().min(1).max(3_600_000).optional().describe('Milliseconds for one call; default: 30000')
  return z.union([
    z.strictObject({ command: text, args: z.array(z.string()).optional(), env: texts, cwd: text.optional(), timeout }),
    z.strictObject({ url: z.url({ protocol: /^https?$/ }), headers: texts, token: text.optional(), timeout }),
  ])
}

/** The schema of `reflex.config.json`. No setting sends data elsewhere, and none gives a permission. */
export const configFile = once(() => {
  const name = z.string().min(1)
  return z.strictObject({
    $schema: z.string().optional().describe('The schema of this file, for editors'),
    model: name.optional().describe('The model where nobody names one: provider:name'),
    agent: name.optional().describe('Who decides where a program does not say: rules, model or person'),
    trust: z.enum(TRUST_LEVELS).optional().describe('How far programs are trusted; it can only lower what is usual'),
    mcp: z
      .strictObject({ servers: z.record(z.string().regex(SERVER_NAME), server()) })
      .optional()
      .describe('MCP servers whose tools programs call as mcp.SERVER.TOOL; a policy of the operator must allow each'),
    programs: z.array(name).max(100).optional().describe('Folders beside this file in which programs are looked up by name'),
    ...Object.fromEntries(
      BUILT_IN.modules.flatMap(({ name: kind, fileOptions }) => (fileOptions === undefined ? [] : [[kind, fileOptions(z).optional()]])),
    ),
  })
})

/** The settings of a folder, without those that are not allowed in the file. */
export interface Config {
  /** The file; undefined if there is none. */
  readonly file: string | undefined
  readonly model?: string
  readonly agent?: string
  /** At most `probationary`; for runs without another level. */
  readonly trust?: Trust
  /** Absolute paths below the folder of the file. */
  readonly programs: readonly string[]
  /** The host options of kinds that the file gives, by the names of the kinds. */
  readonly kinds?: Readonly<Record<string, JsonObject>>
  /** The MCP servers that the file proposes. */
  readonly servers?: Readonly<Record<string, ServerSpec>>
  /** `R2034` for each setting that the file must not contain. */
  readonly warnings: readonly Fault[]
}

/** Settings that exist as flags or environment variables, and that no file next to programs may set. */
const REFUSED: readonly string[] = [
  'actor',
  'agents',
  'answers',
  'apiKey',
  'baseUrl',
  'by',
  'fallback',
  'logs',
  'policy',
  'prices',
  'record',
  'recorded',
  'secret',
  'secrets',
  'store',
  'tools',
]

const DEFAULT_TRUST: Trust = 'probationary'

/**
 * Returns the settings of the nearest `reflex.config.json` in a folder or above it. The file is next to programs, may have come
 * with them, and a run may have written it. It stops no command: a setting that is not allowed is ignored with a warning, and
 * so is the whole file if it cannot be read or is a link to another place. Only reads files.
 */
export function readConfig(workdir: string): Config {
  const file = nearestConfig(workdir)
  if (file === undefined) return { file, programs: [], warnings: [] }
  try {
    return readValid(file)
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    const { line, column, length, frame, path, fix, message } = thrown
    const details = { severity: 'warning', file, line, column, length, frame, path, fix } as const
    return { file, programs: [], warnings: [faults.make('R1025', `${CONFIG} is ignored: ${message}`, details)] }
  }
}

function readValid(file: string): Config {
  if (!isInside(dirname(file), file))
    throw faults.make('R1025', 'the settings file is a link that leads out of its folder', { file, fix: 'write the file itself' })
  const json = readJson(textOf(file), file)
  const [broken] = json.findings.filter(({ severity }) => severity === 'error')
  if (broken !== undefined) throw unreadable(file, broken)
  if (!isObject(json.value))
    throw faults.make('R1025', 'the settings must be an object', { ...json.details([]), fix: 'write {"model": "provider:name"}' })
  const { allowed, warnings } = withoutRefused(json, json.value)
  const [wrong] = checkSchema(configFile(), allowed, { locate: (path, at) => json.details(path, at) })
  if (wrong !== undefined) throw unreadable(file, wrong)
  const settings = configFile().parse(allowed)
  const { model, agent, trust, mcp, programs = [] } = settings
  const folders = foldersOf(json, dirname(file), programs)
  const isHigher = trust !== undefined && TRUST_LEVELS.indexOf(trust) > TRUST_LEVELS.indexOf(DEFAULT_TRUST)
  return {
    file,
    ...(model === undefined ? {} : { model }),
    ...(agent === undefined ? {} : { agent }),
    ...(trust === undefined || isHigher ? {} : { trust }),
    ...(mcp === undefined ? {} : { servers: mcp.servers }),
    kinds: Object.fromEntries(BUILT_IN.modules.flatMap(({ name }) => (isObject(allowed[name]) ? [[name, allowed[name]]] : []))),
    programs: folders.inside,
    warnings: [...warnings, ...(isHigher ? [raisedTrust(json, trust)] : []), ...folders.warnings],
  }
}

function textOf(file: string): string {
  try {
    return readText(file)
  } catch (cause) {
    throw faults.make('R1025', `${file} cannot be read`, { file, cause })
  }
}

function unreadable(file: string, { line, column, length, frame, path, fix, message }: Fault): Fault {
  return faults.make('R1025', message, { file, line, column, length, frame, path, fix })
}

function withoutRefused(json: JsonText, value: { readonly [key: string]: Json }): { allowed: Record<string, Json>; warnings: Fault[] } {
  const refused = Object.keys(value).filter((key) => REFUSED.some((word) => folded(word) === folded(key)))
  const allowed = Object.fromEntries(Object.entries(value).filter(([key]) => !refused.includes(key)))
  const warnings = refused.map((key) =>
    faults.make('R2034', `${quote(key)} is not for a file beside programs to say; it is ignored`, {
      ...json.details([key], { part: 'key' }),
      fix: 'remove it, and say it with a flag or in the environment',
    }),
  )
  return { allowed, warnings }
}

function folded(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, '')
}

function raisedTrust(json: JsonText, trust: Trust): Fault {
  return faults.make('R2034', `trust ${trust} is ignored: a file beside programs can lower trust, not raise it`, {
    ...json.details(['trust']),
    fix: `remove it, and say --trust ${trust} if you mean it`,
  })
}

/** Programs are searched for only below the folder of the file, after links are resolved. */
function foldersOf(json: JsonText, home: string, given: readonly string[]): { inside: string[]; warnings: Fault[] } {
  const inside: string[] = []
  const warnings: Fault[] = []
  given.forEach((folder, i) => {
    const path = resolve(home, folder)
    if (isInside(home, path)) inside.push(realOrSame(path))
    else
      warnings.push(
        faults.make('R2034', `${quote(folder)} lies outside the folder of the file; it is ignored`, {
          ...json.details(['programs', i]),
          fix: `say --programs ${folder} if you mean it`,
        }),
      )
  })
  return { inside, warnings }
}

/** True if a path is inside a folder, after links are resolved. */
function isInside(folder: string, path: string): boolean {
  const relativePath = relative(realOrSame(folder), realOrSame(path))
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && resolve(folder, relativePath) !== relativePath
}

function realOrSame(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}
