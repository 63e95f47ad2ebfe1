import { existsSync, realpathSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { z } from 'zod'
import { CONFIG, nearestConfig } from './config-file.ts'
import { faults } from '../runs/faults.ts'
import { type Fault, isFault, isObject, type Json } from '../kernel/index.ts'
import { readText } from '../programs/read-text.ts'
import { type Trust, TRUST_LEVELS } from '../policy/index.ts'
import { checkSchema, type JsonText, once, quote, readJson } from '../text/index.ts'

/** What a `reflex.config.json` may say. Nothing here sends data elsewhere, and nothing gives a right. */
export const configFile = once(() => {
  const name = z.string().min(1)
  return z.strictObject({
    $schema: z.string().optional().describe('The schema of this file, for editors'),
    model: name.optional().describe('The model where nobody names one: provider:name'),
    agent: name.optional().describe('Who decides where a program does not say: rules, model or person'),
    trust: z.enum(TRUST_LEVELS).optional().describe('How far programs are trusted; it can only lower what is usual'),
    programs: z.array(name).max(100).optional().describe('Folders beside this file in which programs are looked up by name'),
  })
})

/** The settings of a folder, after everything that it may not say was left out. */
export interface Config {
  /** Where they were read; undefined where there is no file. */
  readonly file: string | undefined
  readonly model?: string
  readonly agent?: string
  /** At most `probationary`, for runs that nobody gave another level. */
  readonly trust?: Trust
  /** Absolute paths below the folder of the file. */
  readonly programs: readonly string[]
  /** `R2034`, for each thing that the file said and may not say. */
  readonly warnings: readonly Fault[]
}

/** What everybody knows to be a setting and no file beside a program may set: the names of flags and of the environment. */
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
 * Returns the settings of the nearest `reflex.config.json` upwards from a folder. The file lies beside programs, may have come
 * with them, and a run may have written it, so it stops no command: a setting beyond its rights is ignored with a warning, and so
 * is the whole file where it cannot be read or understood, or is a link to another place. Reads files and changes nothing.
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
    throw faults.make('R1025', 'the settings are a link out of their folder', { file, fix: 'write the file itself' })
  const json = readJson(textOf(file), file)
  const [broken] = json.findings.filter(({ severity }) => severity === 'error')
  if (broken !== undefined) throw unreadable(file, broken)
  if (!isObject(json.value))
    throw faults.make('R1025', 'the settings are no object', { ...json.details([]), fix: 'write {"model": "provider:name"}' })
  const { allowed, warnings } = withoutRefused(json, json.value)
  const [wrong] = checkSchema(configFile(), allowed, { locate: (path, at) => json.details(path, at) })
  if (wrong !== undefined) throw unreadable(file, wrong)
  const { model, agent, trust, programs = [] } = configFile().parse(allowed)
  const folders = foldersOf(json, dirname(file), programs)
  const isHigher = trust !== undefined && TRUST_LEVELS.indexOf(trust) > TRUST_LEVELS.indexOf(DEFAULT_TRUST)
  return {
    file,
    ...(model === undefined ? {} : { model }),
    ...(agent === undefined ? {} : { agent }),
    ...(trust === undefined || isHigher ? {} : { trust }),
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

/** Programs are looked up below the folder of the file alone, links followed. */
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

/** Whether a path is a folder or lies in it, links followed. */
function isInside(folder: string, path: string): boolean {
  const relativePath = relative(realOrSame(folder), realOrSame(path))
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && resolve(folder, relativePath) !== relativePath
}

function realOrSame(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}
