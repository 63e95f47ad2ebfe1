export { type Pin, pinServer } from './pin.ts'
export { secretsOfServers } from './settings.ts'
export { McpServers } from './servers.ts'
export type { ProposedServers, ServerState } from './servers.ts'
