import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { KindResult, KindView, ProgramSignature } from '../../../programs/kind-view.ts'
import type { Slot, SlotType } from '../model/slot.ts'
import type { SkillProgram } from '../plan/skill-program.ts'
import { skillGraph } from './graph.ts'
import { skillStory } from './story.ts'

/** The display of skills and their runs. */
export const skillView: KindView<SkillProgram> = {
  graph: skillGraph,
  signature,
  headline: ({ manifest }) => [`skill ${manifest.version}`, `${manifest.plan.steps.length} steps`],
  story: (change) => skillStory(change),
  result: (_, value) => resultOf(value),
}

const SCHEMAS: Partial<Record<SlotType, JsonObject>> = {
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  url: { type: 'string', format: 'uri' },
  email: { type: 'string', format: 'email' },
  uuid: { type: 'string', format: 'uuid' },
  datetime: { type: 'string', format: 'date-time' },
  json: {},
}

/** Returns the slots as inputs and the outputs, as JSON Schema. */
function signature({ manifest }: SkillProgram): ProgramSignature {
  const { inputs, outputs } = manifest.signature
  const required = inputs.filter(({ name }) => manifest.activation.required_slots.includes(name)).map(({ name }) => name)
  const schemas = Object.fromEntries(inputs.map((slot) => [slot.name, schemaOf(slot)]))
  return {
    inputs: { type: 'object', properties: schemas, ...(required.length === 0 ? {} : { required }), additionalProperties: false },
    output: {
      type: 'object',
      properties: Object.fromEntries(outputs.map(({ name, type }) => [name, SCHEMAS[type] ?? { type: 'string' }])),
    },
    about: manifest.description === '' ? manifest.title : manifest.description,
  }
}

function schemaOf({ type, description, enum: values, default: otherwise }: Slot): JsonObject {
  return {
    ...(SCHEMAS[type] ?? { type: 'string' }),
    ...(values === undefined ? {} : { enum: [...values] }),
    ...(otherwise === undefined ? {} : { default: otherwise }),
    ...(description === '' ? {} : { description }),
  }
}

/** The outcome as a wrapped agent gets it has its status beside the outputs. */
function resultOf(value: Json): KindResult {
  if (!isObject(value) || typeof value['skill_id'] !== 'string' || typeof value['status'] !== 'string') return { value }
  return { value: value['outputs'] ?? {}, how: value['status'] }
}
