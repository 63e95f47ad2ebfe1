import { describe, expect, test } from 'vitest'
import { run, validate } from '../../../../src/kinds/pipeline/index.ts'

const dot = (attributes: string): string =>
  `digraph g { goal=test start [shape=Mdiamond] done [shape=Msquare] left [prompt=l, simulate=true] right [prompt=r, simulate=true]
    join [shape=tripleoctagon] it [${attributes}] start -> it ${
      attributes.startsWith('shape=component') ? 'it -> left -> join it -> right -> join join -> done' : 'it -> done'
    } }`

const VALUES = { word: 'hello', count: 1, list: ['a', 'b'] }

async function statusOf(attributes: string): Promise<string | undefined> {
  const { node_outcomes } = await run(dot(attributes), {
    logs_root: false,
    validate: false,
    trust: 'autonomous',
    initial_values: VALUES,
    llm_backend: () => 'a word',
  })
  return node_outcomes['it']?.status
}

/** The severities of what `validate` finds at the last of these attributes. */
function severities(attributes: string): string[] {
  const name = attributes.slice(attributes.lastIndexOf(', ') + 2).split('=')[0]
  return validate(dot(attributes)).flatMap(({ severity, path }) => (path === `it.${name}` ? [severity ?? 'error'] : []))
}

describe('a value that is none of those that its attribute takes', () => {
  test.each([
    'shape=component, join_policy=sideways',
    'type=compute, purpose=sideways',
    'type=exec, target=sideways',
    'type=read, source=sideways',
    'type=write, target=sideways',
    'type=wait, source=sideways',
    'type=gate, predicate=sideways',
    'type=compose, mode=sideways',
    'prompt=x, capabilities=sideways',
    'type=transform, transform=sideways',
    'type="routing.select", candidates=sideways',
    'type=shell, command="true", sandbox=sideways',
    'type=map, items_key=list, item_type=codergen, item_prompt="say", handler_attrs=sideways',
    'type="output.validate", source_key=word, json_schema=sideways',
    'type=accumulator, input_key=list, operation=sideways',
    'type="prompt.ab_test", variant_a="say", variant_b="tell", output_schema=sideways',
    'type="prompt.ab_test", variant_a="say", variant_b="tell", provider_options=sideways',
    'type="retry.escalate", models="a,b", prompt="say", escalate_on=sideways',
    'type="feedback.loop", prompt="say", scoring_method=sideways',
    'type=adapt, mutations=sideways',
    'type="eval.aggregate", metrics=sideways',
    'type="memory.consolidate", strategy=sideways',
    'type="memory.index", source_key=word, metadata=sideways',
  ])('%s would fail the node, so it is an error before a run', async (attributes) => {
    expect(severities(attributes)).toEqual(['error'])
    await expect(statusOf(attributes)).rejects.toMatchObject({ code: 'R1142' })
  })

  test.each([
    'shape=component, error_policy=sideways',
    'type=shell, command="true", sandbox=none, on_error=sideways',
    'type=map, items_key=list, item_type=codergen, item_prompt="say", on_item_error=sideways',
    'type="output.validate", source_key=word, action=sideways',
    'prompt=x, simulate=true, retry_policy=sideways',
    'prompt=x, simulate=true, data_class=sideways',
    'type=accumulator, input_key=count, target=sideways',
  ])('%s fails nothing, so it is a warning', async (attributes) => {
    expect(severities(attributes)).toEqual(['warning'])
    expect(await statusOf(attributes)).not.toBe('fail')
  })
})
