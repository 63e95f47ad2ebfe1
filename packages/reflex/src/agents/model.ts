import { type RunnableAgent } from './agent.ts'
import { faults } from './faults.ts'

/** What decides where a model should and none was given. */
export const noModel: RunnableAgent = {
  async resolve({ node }) {
    throw faults.make('R4001', `no model configured: ${node.id} is for a model to decide`, { path: node.id })
  },
}
