/** The fields of a `*.policy.json`, for its reader and for the published JSON Schema. */

import { HASH, SERVER_NAME } from './servers.ts'

/** The first step of custom capabilities, such as `deploy`. */
export const ROOT = /^[a-z][a-z0-9_-]*$/
/** A size of memory. */
export const SIZE = /^(\d{1,12}) ?(KiB|MiB|GiB)$/
/** A time in RFC 3339 with a time zone: a date alone ends at different moments in different zones. */
export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/
/** The smallest number of processes with which a program starts. */
export const MIN_PROCESSES = 4

const capability = { type: 'string', description: 'A capability, such as arbor://fs/read/src/**', pattern: '^arbor://' } as const

const BOUNDED = {
  capability,
  expires_at: { type: 'string', pattern: INSTANT.source, description: 'When the grant ends, such as 2027-01-31T00:00:00Z' },
  max_uses: { type: 'integer', minimum: 1, description: 'How many uses the grant allows' },
} as const

const COMMANDS = {
  memory: { type: 'string', pattern: SIZE.source, description: 'Memory, 16 MiB or more: 512 MiB' },
  processes: { type: 'integer', minimum: MIN_PROCESSES, description: 'Processes and threads at the same time' },
} as const

const words = { type: 'array', items: { type: 'string' } } as const
const texts = { type: 'object', additionalProperties: { type: 'string' } } as const
const hash = { type: 'string', pattern: HASH.source } as const

const SERVER = {
  command: { type: 'string', minLength: 1, description: 'The program of the server' },
  args: { ...words, description: 'Its arguments' },
  env: { ...texts, description: 'Variables of its process; ${NAME} refers to one of the environment' },
  cwd: { type: 'string', minLength: 1, description: 'The folder in which it starts, below the work folder' },
  url: { type: 'string', pattern: '^https?://', description: 'The address of a server over HTTP' },
  headers: { ...texts, description: 'Headers of each request; ${NAME} refers to a variable' },
  token: { type: 'string', minLength: 1, description: 'The token that answers a 401, as ${NAME}' },
  timeout: { type: 'integer', minimum: 1, maximum: 3_600_000, description: 'Milliseconds for one call; default: 30000' },
  package: { ...hash, description: 'The hash of the files that the command names' },
  tools: { ...hash, description: 'The hash of the list of tools' },
  trusted: { type: 'boolean', description: 'True to believe the annotations of its tools' },
  private: { type: 'boolean', description: 'True for an address outside the public network' },
  roots: { type: 'boolean', description: 'True if the server may ask for the work folder' },
  sandbox: { enum: ['strict', 'none'], description: 'The sandbox of its process; default: that of commands of the run' },
} as const

const POLICY = {
  agent: { description: 'The agent for whose runs the file counts (--agent-id); for all if absent', type: 'string', minLength: 1 },
  allow: {
    description: 'Grants beside those of the level of trust',
    type: 'array',
    items: { anyOf: [capability, { type: 'object', properties: BOUNDED, required: ['capability'], additionalProperties: false }] },
  },
  deny: { description: 'Denials; each wins over every grant', type: 'array', items: capability },
  ask: { description: 'Capabilities that a person confirms before a stage uses them', type: 'array', items: capability },
  roots: {
    description: 'The first steps of the capabilities that tools and handlers of your own need',
    type: 'array',
    items: { type: 'string', pattern: ROOT.source },
  },
  commands: {
    description: 'Limits of one command in the sandbox, with everything that it starts',
    type: 'object',
    properties: COMMANDS,
    additionalProperties: false,
  },
  mcp: {
    description: 'MCP servers that may be started, by name; `reflex mcp pin NAME` prints the entry',
    type: 'object',
    propertyNames: { pattern: SERVER_NAME.source },
    additionalProperties: { type: 'object', properties: SERVER, required: ['tools'], additionalProperties: false },
  },
} as const

/** The fields of a policy, of a grant with an end, and of the limits of commands. */
export const FIELDS: readonly string[] = Object.keys(POLICY)
export const BOUNDED_FIELDS: readonly string[] = Object.keys(BOUNDED)
export const COMMAND_FIELDS: readonly string[] = Object.keys(COMMANDS)

/** The JSON Schema (draft-07) of a policy. The reader also refuses capabilities that can never match, which the schema cannot express. */
export const policySchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'urn:reflex:policy',
  title: 'Reflex policy',
  type: 'object',
  properties: { $schema: { type: 'string' }, ...POLICY },
  additionalProperties: false,
} as const
