import { SUCCESS } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { ALWAYS_SUCCESS } from './outcomes.ts'

export const succeed = defineNode({
  type: 'succeed',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['config'], []] },
  xml: { AlwaysSuccess: {} },
  parameters: [],
  propagates: 'leaf',
  outcomes: () => ALWAYS_SUCCESS,
  doc: 'Succeeds.',
  example: 'BT.succeed()',
  behaviour: { enter: () => SUCCESS },
})
