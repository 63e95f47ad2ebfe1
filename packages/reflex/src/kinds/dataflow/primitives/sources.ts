import type { Primitive } from '../model/primitive.ts'
import { type ScalarType, ZERO } from '../model/value.ts'
import { builtin, PURE } from './builtin.ts'

const SOURCE = { ...PURE, kind: 'source', inputs: [] } as const

/** The sources: a parameter, or a key of the context. */
export const SOURCES: readonly Primitive[] = [
  ofParameter('number_source', 'Number', 'Emits the number of its parameter.'),
  ofParameter('boolean_source', 'Bool', 'Emits the Bool of its parameter.'),
  ofParameter('string_source', 'String', 'Emits the text of its parameter.'),
  ofContext('context_number_source', 'Number', 'Emits a number of the context; 0 if the key is absent.'),
  ofContext('context_bool_source', 'Bool', 'Emits a Bool of the context; false if the key is absent.'),
  ofContext('context_string_source', 'String', 'Emits a text of the context; an empty one if the key is absent.'),
  ofContext('context_series_source', 'Series', 'Emits a series of the context; an empty one if the key is absent.'),
]

function ofParameter(id: string, type: 'Number' | 'Bool' | 'String', about: string): Primitive {
  const parameters = [{ name: 'value', type, default: ZERO[type] }] as const
  return builtin({ ...SOURCE, id, about, outputs: [{ name: 'value', type }], parameters }, ({ value }) => ({ value }))
}

function ofContext(id: string, type: ScalarType, about: string): Primitive {
  const parameters = [{ name: 'key', type: 'String', default: 'x' }] as const
  const requires = { context: [{ name: '$key', type, required: false }] } as const
  return builtin({ ...SOURCE, id, about, outputs: [{ name: 'value', type }], parameters, requires }, ({ key }, context) => ({
    value: context.value(key) ?? ZERO[type],
  }))
}
