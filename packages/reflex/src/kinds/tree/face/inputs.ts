import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { textAs } from '../../../people/index.ts'
import { quote, shortJson, suggest } from '../../../text/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { programFaults } from '../../../programs/faults.ts'

/** The JSON types of schemas by name, for inputs that are given as text. */
const TYPES: Readonly<Record<string, string>> = {
  int: 'integer',
  float: 'number',
  bool: 'boolean',
  list: 'array',
  dict: 'object',
  str: 'string',
}

/** Returns named inputs as a tree accepts them: each is a declared key, and text becomes the type of its key. Throws `R2045`. */
export function treeInputs({ id, source, schemas }: CompiledTree, input: JsonObject, texts: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]): [string, Json] => {
      const schema = schemas.get(key)
      if (schema === undefined) throw unknownInput(id, key, [...schemas.keys()])
      const typed = typeof value === 'string' && texts.includes(key) ? typedText(source.board?.[key]?.type, value) : value
      const result = schema.validate(typed)
      if (result.issues === undefined) return [key, result.value]
      throw programFaults.make(
        'R2045',
        `${id} cannot take ${key} as ${shortJson(typed)}: ${result.issues.map(({ message }) => message).join('; ')}`,
        {
          path: id,
          fix: `give ${quote(key)} a value of the type ${schema.name}`,
        },
      )
    }),
  )
}

function typedText(type: string | JsonObject | undefined, text: string): Json {
  if (isObject(type)) return textAs(type, text)
  const name = TYPES[type ?? ''] ?? type
  return name === undefined || name === 'any' || name === 'string' ? text : textAs({ type: name }, text)
}

function unknownInput(id: string, key: string, known: readonly string[]): Error {
  const guess = suggest(key, known)
  return programFaults.make('R2045', `${id} has no key ${quote(key)}${guess === undefined ? '' : `; did you mean ${quote(guess)}?`}`, {
    path: id,
    fix: guess === undefined ? `declare ${key} in blackboard` : `write ${guess}`,
  })
}
