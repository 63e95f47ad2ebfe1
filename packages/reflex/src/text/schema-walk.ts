import type { z } from 'zod'
import { type Path, valueAt } from './path.ts'

type Schema = z.core.$ZodType

/** Returns the attributes that the object schema at a path allows; none if the schema has no object with fixed attributes there. */
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

/** Returns the schema of one member. It looks through wrappers, and in a union it takes the option that matches the value. */
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

/** Returns the option whose discriminator matches the value; without a discriminator, the first object option. */
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

/** Returns the inner schema without optional, default, lazy and similar wrappers. */
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
