/** The topic of events. An event that is null says that none follows: the graph ends once it has taken those before it. */
export const EVENT_TOPIC = 'event'
/** The timer at which deferred items are due. */
export const PUMP_TIMER = 'deferred'
/** The most events of one record, and the most characters of their JSON. */
export const MOST_EVENTS = 256
export const MOST_CHARACTERS = 64_000
