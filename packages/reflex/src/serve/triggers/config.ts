import { z } from 'zod'
import type { Fault } from '../../kernel/index.ts'
import { LEAST_URGENT, MOST_NEEDS } from '../../app/cluster/names.ts'
import { secretIn } from '../../app/secret-file.ts'
import { TRUST_LEVELS } from '../../policy/index.ts'
import { readText } from '../../programs/read-text.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { CLUSTER_NAME, type RunPlace } from '../../store/index.ts'
import { checkSchema, type JsonText, type Path, readJson } from '../../text/index.ts'
import { calendarProblem } from './calendar.ts'
import { isPointer } from './pointer.ts'
import { SCHEMES } from './signature.ts'

/** The form of names of hooks, subscriptions and schedules. */
export const NAME = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/i)
  .describe('Letters, digits, dots, hyphens and underscores')
const POINTER = z
  .string()
  .max(500)
  .refine(isPointer, 'a JSON pointer, such as /data/id')
  .describe('A JSON pointer into the payload: /data/id')
const SECRET = z.union([z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })])
const DURATION = z.number().int().positive().describe('Milliseconds')
const VALUES = z.record(z.string(), z.json())

const CLUSTER_PART = z.string().regex(CLUSTER_NAME).describe('Letters, digits, dots, hyphens and underscores')

/** The place of a run among those of a cluster, as requests and files declare it. */
export const PLACE = {
  queue: CLUSTER_PART.exactOptional().describe('With a cluster: the queue in which the run waits for a worker'),
  tenant: CLUSTER_PART.exactOptional().describe('With a cluster: the customer for whom the run works'),
  priority: z.number().int().min(0).max(LEAST_URGENT).exactOptional().describe('With a cluster: a lower number goes first'),
  needs: z
    .array(CLUSTER_PART)
    .min(1)
    .max(MOST_NEEDS)
    .exactOptional()
    .describe('With a cluster: what a worker must have, as its --has says'),
}

const HOOK = z
  .strictObject({
    secret: SECRET.describe('Where the secret is: {"env": "NAME"} or {"file": "PATH"}'),
    scheme: z.enum(SCHEMES).default('standard').describe('How deliveries are signed'),
    when: z.record(POINTER, z.array(z.json()).min(1)).default({}).describe('Only payloads with one of these values at each pointer'),
    rate: z.number().int().positive().default(600).describe('The most deliveries in a minute'),
    start: z
      .strictObject({
        program: z.string().min(3).max(500),
        input: z.record(z.string(), POINTER).default({}),
        values: VALUES.default({}),
        key: POINTER.exactOptional().describe('A value by which later messages find the run'),
        trust: z.enum(TRUST_LEVELS).default('untrusted'),
        ...PLACE,
      })
      .exactOptional(),
    send: z
      .strictObject({
        program: z.string().min(3).max(500).exactOptional().describe('The program of the run that key names'),
        key: POINTER.exactOptional(),
        run: POINTER.exactOptional(),
        topic: z.string().min(1).max(500),
        value: POINTER.default(''),
      })
      .exactOptional(),
  })
  .refine(({ start, send }) => (start === undefined) !== (send === undefined), 'a hook has either start or send')
  .refine(
    ({ send }) => send === undefined || (send.run === undefined) === (send.key !== undefined && send.program !== undefined),
    'send names its run by run, or by program and key',
  )

/** The kinds of events that a subscription can name. */
export const EVENTS = ['question', 'suspended', 'completed', 'failed', 'cancelled'] as const

const SUBSCRIPTION = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2000),
  secret: SECRET,
  events: z.array(z.enum(EVENTS)).min(1),
  kind: z.string().exactOptional(),
  program: z.string().exactOptional(),
  giveUp: DURATION.default(86_400_000).describe('Milliseconds after which a delivery is given up'),
  timeout: DURATION.max(60_000).default(15_000),
  private: z.boolean().default(false).describe('True: the address may be one of a private network'),
})

/** A schedule, as the file and the route declare it. */
export const SCHEDULE = z.strictObject({
  cron: z.string().min(1).max(200),
  zone: z.string().min(1).max(100).default('UTC').describe('A time zone: Europe/Berlin'),
  program: z.string().min(3).max(500).describe('kind:name'),
  input: VALUES.default({}),
  missed: z.enum(['skip', 'last', 'all']).default('last').describe('The times that passed while no server was there'),
  most: z.number().int().min(1).max(1000).default(100).describe('The most missed times that are made up for with all'),
  overlap: z
    .enum(['allow', 'skip', 'cancel'])
    .default('allow')
    .describe('What is done at a time if the run of the previous time has not ended'),
  paused: z.boolean().default(false),
  ...PLACE,
})

const FILE = z.strictObject({
  $schema: z.string().exactOptional(),
  hooks: z.record(NAME, HOOK).default({}),
  subscriptions: z.record(NAME, SUBSCRIPTION).default({}),
  schedules: z.record(NAME, SCHEDULE).default({}),
})

export type Hook = Omit<z.output<typeof HOOK>, 'secret'> & { readonly secret: string }
export type Subscription = Omit<z.output<typeof SUBSCRIPTION>, 'secret'> & { readonly secret: string }
export type Schedule = z.output<typeof SCHEDULE>

/** Returns the place of the runs of a hook or a schedule, without absent parts. */
export function placeOf({ queue, tenant, priority, needs }: RunPlace): RunPlace {
  return {
    ...(queue === undefined ? {} : { queue }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(priority === undefined ? {} : { priority }),
    ...(needs === undefined ? {} : { needs }),
  }
}

/** The declarations of the operator in a file of triggers, with their secrets. */
export interface TriggerConfig {
  readonly hooks: Readonly<Record<string, Hook>>
  readonly subscriptions: Readonly<Record<string, Subscription>>
  readonly schedules: Readonly<Record<string, Schedule>>
}

export const NO_TRIGGERS: TriggerConfig = { hooks: {}, subscriptions: {}, schedules: {} }

/**
 * Reads a file of triggers. Throws `R6050` with the place of the first problem: text that is not JSON, an unknown or wrong field, a
 * calendar without times, a secret that is missing.
 */
export function readTriggers(file: string, environment: Readonly<Record<string, string | undefined>>): TriggerConfig {
  const json = readJson(textOf(file), file)
  const [broken] = json.findings.filter(({ severity }) => severity === 'error')
  if (broken !== undefined) throw unreadable(file, broken)
  const [wrong] = checkSchema(FILE, json.value, { locate: (path, at) => json.details(path, at) })
  if (wrong !== undefined) throw unreadable(file, wrong)
  const { hooks, subscriptions, schedules } = FILE.parse(json.value)
  for (const [name, { url }] of Object.entries(subscriptions)) {
    const { username, password } = new URL(url)
    if (username !== '' || password !== '') throw refused(json, ['subscriptions', name, 'url'], 'the address contains a password')
  }
  for (const [name, { cron, zone }] of Object.entries(schedules)) {
    const problem = calendarProblem(cron, zone)
    if (problem !== undefined) throw refused(json, ['schedules', name, problem.field], problem.message)
  }
  const secrets = <Entry extends { readonly secret: z.output<typeof SECRET> }>(section: string, entries: Readonly<Record<string, Entry>>) =>
    Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => {
        const { secret } = entry
        const value = 'env' in secret ? environment[secret.env] : Buffer.from(secretIn(secret.file)).toString('utf8')
        if (value !== undefined && value.length >= 16) return [name, { ...entry, secret: value }]
        const what = 'env' in secret ? `the environment variable ${secret.env}` : `the file ${secret.file}`
        throw refused(json, [section, name, 'secret'], `${what} has no secret of at least 16 characters`)
      }),
    )
  return { hooks: secrets('hooks', hooks), subscriptions: secrets('subscriptions', subscriptions), schedules }
}

function textOf(file: string): string {
  try {
    return readText(file)
  } catch (cause) {
    throw serveFaults.make('R6050', `${file} cannot be read`, { file, cause })
  }
}

function unreadable(file: string, { line, column, length, frame, path, fix, message }: Fault): Fault {
  return serveFaults.make('R6050', message, { file, line, column, length, frame, path, fix })
}

function refused(json: JsonText, path: Path, message: string): Fault {
  return serveFaults.make('R6050', message, json.details(path))
}
