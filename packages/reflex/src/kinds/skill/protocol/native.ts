import type { JsonObject } from '../../../kernel/index.ts'
import { type StrictObject, readStrictObject } from './strict-json.ts'

/** A tool of the native carrier. `parameters` is a JSON Schema. */
export interface ProtocolTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/**
 * The two tools of the native carrier. Their bytes never change, whatever skills there are: providers cache a request from its tools on,
 * and a list that changes would make every later token new (reference skill 1.13). So no schema lists the skills.
 */
export const PROTOCOL_TOOLS: readonly [propose: ProtocolTool, clarify: ProtocolTool] = [
  {
    name: 'reflex_propose',
    description: 'Propose one skill of the latest SKILL_BULLETIN. The result says whether it ran and what it returned.',
    parameters: {
      type: 'object',
      properties: {
        skill_id: { type: 'string', description: 'id or id@version of the skill' },
        inputs: { type: 'object', description: 'value of each slot by its name', additionalProperties: true },
        why: { type: 'string', description: 'reason, at most 280 characters' },
      },
      required: ['skill_id', 'inputs'],
    },
  },
  {
    name: 'reflex_clarify',
    description: 'Ask the user for information that a skill needs.',
    parameters: {
      type: 'object',
      properties: {
        skill_id: { type: 'string', description: 'id of the skill that needs it' },
        questions: {
          type: 'array',
          minItems: 1,
          maxItems: 5,
          items: {
            type: 'object',
            properties: { slot: { type: 'string' }, question: { type: 'string', description: 'at most 240 characters' } },
            required: ['question'],
          },
        },
      },
      required: ['questions'],
    },
  },
]

/** A call of a tool as a reply contains it. */
export interface ReplyCall {
  readonly id: string
  readonly name: string
  /** JSON text, or a value where the provider has parsed it. */
  readonly arguments: unknown
}

/** Returns the tag that a call stands for, or undefined if the tool is the agent's own. */
export function protocolCall(name: string): 'SKILL_PROPOSE' | 'CLARIFY' | undefined {
  if (name === PROTOCOL_TOOLS[0].name) return 'SKILL_PROPOSE'
  return name === PROTOCOL_TOOLS[1].name ? 'CLARIFY' : undefined
}

/** Reads the arguments of a call as strictly as the body of a block. Never throws. */
export function readArguments(value: unknown): StrictObject {
  if (typeof value === 'string') return readStrictObject(value)
  let text: string | undefined
  try {
    text = JSON.stringify(value) as string | undefined
  } catch {
    text = undefined
  }
  return text === undefined ? { mistake: 'the arguments are not JSON' } : readStrictObject(text)
}
