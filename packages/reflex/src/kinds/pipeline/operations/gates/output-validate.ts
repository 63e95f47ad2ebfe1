import { defineOperation } from '../../contract/define-operation.ts'
import { attribute } from '../../model/attribute.ts'
import { authored, key, writes } from '../../model/operation-ports.ts'
import { GATE } from '../parameters.ts'
import { outputValidate as run } from '../people/gate.ts'

export const outputValidate = defineOperation({
  name: 'output.validate',
  does: 'Checks a text: format, length, contents, schema, pattern.',
  dispatch: [{ type: 'gate', by: { predicate: 'output_valid' } }],
  usual: ['min_length', 'max_length', 'must_contain', 'must_not_contain', 'json_schema', 'pattern'],
  parameters: {
    ...GATE,
    format: attribute(['json', 'dot', 'markdown', 'text', 'elixir'], 'What the value must be.', { usual: 'text', lenient: true }),
    min_length: attribute('int', 'The fewest characters.'),
    max_length: attribute('int', 'The most characters.'),
    must_contain: attribute('csv', 'What must be in it.'),
    must_not_contain: attribute('csv', 'What must not.'),
    json_schema: attribute('json', 'The schema that it must fit.'),
    pattern: attribute('text', 'The pattern that it must match.'),
    sanitizes: attribute('csv', 'What a value that passes is safe against.', { usual: 'all' }),
    action: attribute(['fail', 'warn', 'truncate'], 'What happens when it does not pass.', { usual: 'fail', lenient: true }),
  },
  reads: [key('source_key', 'last_response'), authored('pattern'), authored('json_schema')],
  writes: writes('engine', 'validate.<id>.'),
  repeat: 'read_only',
  sanitizes: 'content',
  run,
})
