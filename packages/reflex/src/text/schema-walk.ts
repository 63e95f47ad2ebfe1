import type { z } from 'zod'
import { type Path, valueAt } from './path.ts'

type Schema = z.core.$ZodType

/** The attributes that a schema's object allows at a path, or none where the schema has no object with fixed attributes. */
export function allowedKeys(schema: Schema, value: unknown, path: Path): readonly string[] {
  const at = schemaAt(schema, value, path)
  const object = at === undefined ? undefined : objectOf(at, valueAt(value, path))
  return object === undefined ? [] : Object.keys(object.shape)
}

function schemaAt(schema: Schema, value: unknown, path: Path): Schema | undefined {
  let at: Schema | undefined = schema
  for (let i = 0; i < path.length && at !== undefined; i++) {
    const step = path[i]
    at = step === undefined ? undefined : memberSchema(at, step, valueAt(value, path.slice(0, i)))
  }
  return at
}

/** The schema of one member: through wrappers, and in a union through the option that the value chose. */
function memberSchema(schema: Schema, step: string | number, value: unknown): Schema | undefined {
  const def = unwrap(schema)
  switch (def.type) {
    case 'array':
      return def.element
    case 'record':
      return def.valueType
    case 'object':
      return Object.hasOwn(def.shape, step) ? def.shape[step] : def.catchall
    case 'union': {
      const option = chosenOption(def, value)
      return option === undefined ? undefined : memberSchema(option, step, value)
    }
    default:
      return undefined
  }
}

function objectOf(schema: Schema, value: unknown): z.core.$ZodObjectDef | undefined {
  const def = unwrap(schema)
  if (def.type === 'object') return def
  const option = def.type === 'union' ? chosenOption(def, value) : undefined
  return option === undefined ? undefined : objectOf(option, value)
}

/** The option whose discriminator agrees with the value; without a discriminator the first that is an object. */
function chosenOption(union: z.core.$ZodUnionDef, value: unknown): Schema | undefined {
  const key = 'discriminator' in union ? String(union.discriminator) : undefined
  return union.options.find((option) => {
    const object = objectOf(option, value)
    return key === undefined ? object !== undefined : accepts(object?.shape[key], valueAt(value, [key]))
  })
}

function accepts(schema: Schema | undefined, value: unknown): boolean {
  const result = schema?.['~standard'].validate(value)
  return result !== undefined && !(result instanceof Promise) && result.issues === undefined
}

type Def = z.core.$ZodTypes['_zod']['def']

/** What a schema is once optional, default, lazy and the like are taken off. */
function unwrap(schema: Schema): Def {
  let def = definition(schema)
  for (;;) {
    if (def.type === 'lazy') def = definition(def.getter())
    else if (def.type === 'pipe') def = definition(def.in)
    else if ('innerType' in def) def = definition(def.innerType)
    else return def
  }
}

function definition(schema: Schema): Def {
  return (schema as Schema & { readonly def: Def }).def
}
