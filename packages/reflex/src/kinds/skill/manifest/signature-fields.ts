import { SLOT_TYPES } from '../model/slot.ts'
import { FLAG, type Form, list, object, text, whole, words } from './fields.ts'
import { NAME_TEXT, READ_PATH, WRITE_PATH } from './patterns.ts'

const slot: Form = object({
  name: {
    form: NAME_TEXT,
    isRequired: true,
    rule: 'E_SLOT_NAME',
    change: 'major',
    about: 'The name by which templates and callers use it',
  },
  type: { form: words(SLOT_TYPES), isRequired: true, rule: 'E_SLOT_TYPE', change: 'major', about: 'What its values are' },
  required: { form: FLAG, fallback: true, change: 'major', about: 'false: the skill can be called without it' },
  default: { form: { kind: 'json' }, change: 'minor', about: 'The value of an optional slot that nothing fills' },
  pattern: { form: text(200), rule: 'E_PATTERN', change: 'major', about: 'A pattern of RE2 that matches the whole value' },
  enum: { form: list(text(200), 200), rule: 'E_CONSTRAINT', change: 'major', about: 'The only values' },
  min: { form: { kind: 'number' }, rule: 'E_CONSTRAINT', change: 'major', about: 'The least number' },
  max: { form: { kind: 'number' }, rule: 'E_CONSTRAINT', change: 'major', about: 'The largest number' },
  minLength: { form: whole(0, 32_768), rule: 'E_CONSTRAINT', change: 'major', about: 'The least length of a text' },
  maxLength: { form: whole(0, 32_768), fallback: 1024, rule: 'E_CONSTRAINT', change: 'major', about: 'The largest length of a text' },
  description: {
    form: text(120, { isProse: true }),
    fallback: '',
    rule: 'E_TEXT',
    change: 'patch',
    about: 'What is asked for if it is missing',
  },
  sensitive: { form: FLAG, fallback: false, change: 'minor', about: 'true: its value is masked before any record. A secret_ref always is' },
})

const output: Form = object({
  name: { form: NAME_TEXT, isRequired: true, rule: 'E_SLOT_NAME', change: 'major', about: 'The name of the result' },
  type: { form: words(SLOT_TYPES), isRequired: true, rule: 'E_SLOT_TYPE', change: 'major', about: 'What its values are' },
  sensitive: { form: FLAG, fallback: false, change: 'minor', about: 'true: its value is masked before any record' },
})

/** The fields of `signature`. */
export const signature: Form = object({
  inputs: { form: list(slot, 32), isRequired: true, change: 'major', about: 'The slots' },
  outputs: { form: list(output, 16), fallback: [], change: 'major', about: 'The results' },
  blackboard_bindings: {
    form: object({
      inputs: {
        form: { kind: 'map', of: READ_PATH, most: 32 },
        fallback: {},
        rule: 'E_BINDING',
        change: 'minor',
        about: 'Where a slot is read from, by slot',
      },
      outputs: {
        form: { kind: 'map', of: WRITE_PATH, most: 16 },
        fallback: {},
        rule: 'E_BINDING',
        change: 'major',
        about: 'Where an output is written, by output',
      },
    }),
    fallback: {},
    about: 'The blackboard as the skill uses it',
  },
})
