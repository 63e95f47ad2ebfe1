/** The topic of events. */
export const EVENT_TOPIC = 'event'
/** The topic of the message that ends a tree which stays for events. */
export const CLOSE_TOPIC = 'close'
