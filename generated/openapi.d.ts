// Written by `npm run generate` from openapi.yaml. Do not edit.
export type Int64 = bigint;
export interface paths {
    readonly "/pets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List animals
         * @description Returns a page of animals, oldest first.
         */
        readonly get: operations["listPets"];
        readonly put?: never;
        /**
         * Add an animal
         * @description Adds an animal. A 201 means that the animal is on disk.
         */
        readonly post: operations["createPet"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pets/{petId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Fetch one animal
         * @deprecated
         * @description Returns one animal by its identifier. This operation is deprecated and is to be removed on 5 December 2030. Use
         *     `GET /pets` with the `status` filter instead. Failures of this operation also have the headers `Deprecation`,
         *     `Sunset` and `Link`. Failures that occur before the operation is known do not have them, such as 401 and 429.
         *     `Link` may appear on several lines.
         */
        readonly get: operations["getPet"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description The animal's name. It has 1 to 255 Unicode code points, does not consist of white space alone and does not contain
         *     U+0000. The service stores and returns it exactly as sent.
         */
        readonly PetName: string;
        /**
         * Format: int64
         * @description Identifier of the category that the animal belongs to.
         */
        readonly CategoryId: Int64;
        /**
         * @description The animal's availability.
         * @enum {string}
         */
        readonly PetStatus: "available" | "pending" | "sold";
        /**
         * @description An animal to add. The service assigns its identifier.
         * @example {
         *       "name": "Rex",
         *       "categoryId": 7,
         *       "status": "available"
         *     }
         */
        readonly NewPet: {
            readonly name: components["schemas"]["PetName"];
            readonly categoryId: components["schemas"]["CategoryId"];
            /** @default available */
            readonly status: components["schemas"]["PetStatus"];
        };
        /**
         * @description An animal of the store.
         * @example {
         *       "id": 1,
         *       "name": "Rex",
         *       "categoryId": 7,
         *       "status": "available"
         *     }
         */
        readonly Pet: {
            /**
             * Format: int64
             * @description Assigned by the service on creation. An identifier is never used twice.
             */
            readonly id: Int64;
            readonly name: components["schemas"]["PetName"];
            readonly categoryId: components["schemas"]["CategoryId"];
            readonly status?: components["schemas"]["PetStatus"];
        };
        /** @description Animals, oldest first. */
        readonly Pets: readonly components["schemas"]["Pet"][];
        /**
         * @description The body of every failure.
         * @example {
         *       "code": "not_found",
         *       "message": "No animal has the id 42.",
         *       "status": 404
         *     }
         */
        readonly Error: {
            /**
             * @description Machine-readable error code in lower snake case. Later versions may add codes to the list in the guide.
             * @example not_found
             */
            readonly code: string;
            /**
             * @description Human-readable sentence that names each fault that was found and where it is.
             * @example No animal has the id 42.
             */
            readonly message: string;
            /**
             * @description The HTTP status code.
             * @example 404
             */
            readonly status: number;
        };
    };
    responses: {
        /** @description A parameter or the body is missing, unknown, repeated or has a wrong value. */
        readonly BadRequest: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "invalid_request",
                 *       "message": "body.name is required.",
                 *       "status": 400
                 *     }
                 */
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Missing or invalid API key. */
        readonly Unauthorized: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "unauthorized",
                 *       "message": "A valid API key is needed, sent as \"Authorization: Bearer <API_KEY>\".",
                 *       "status": 401
                 *     }
                 */
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No animal has this identifier. */
        readonly NotFound: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "not_found",
                 *       "message": "No animal has the id 42.",
                 *       "status": 404
                 *     }
                 */
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The `Idempotency-Key` was used before with other content. */
        readonly IdempotencyConflict: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "idempotency_conflict",
                 *       "message": "This Idempotency-Key was used before with other content.",
                 *       "status": 409
                 *     }
                 */
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than 100 kB. */
        readonly PayloadTooLarge: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "payload_too_large",
                 *       "message": "The body must not be larger than 100000 bytes.",
                 *       "status": 413
                 *     }
                 */
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is not `application/json` in UTF-8. */
        readonly UnsupportedMediaType: {
            headers: {
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "unsupported_media_type",
                 *       "message": "The body must be sent as \"Content-Type: application/json\".",
                 *       "status": 415
                 *     }
                 */
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The limit per minute or per day is used up, or the key is banned for some time. */
        readonly RateLimited: {
            headers: {
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "rate_limited",
                 *       "message": "The limit of 60 requests per minute is used up; try again in 12 seconds.",
                 *       "status": 429
                 *     }
                 */
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service cannot answer now. */
        readonly Unavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "unavailable",
                 *       "message": "The service cannot answer now; try again later.",
                 *       "status": 503
                 *     }
                 */
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other failure, for example a method that the path does not have (405) or a fault of the service (500). */
        readonly Failure: {
            headers: {
                /** @description The methods of the path. Sent with a 405. */
                readonly Allow?: string;
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "internal_error",
                 *       "message": "The service failed to answer.",
                 *       "status": 500
                 *     }
                 */
                readonly "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description Makes the request safe to repeat. Any text of 1 to 255 visible ASCII characters; use a new one for each animal.
         *     The service remembers it for 24 hours. A key in double quotes is the same as the text between them.
         */
        readonly IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description The caller's limit in the window that the three headers describe. */
        readonly "X-RateLimit-Limit": number;
        /** @description Requests remaining in that window. */
        readonly "X-RateLimit-Remaining": number;
        /** @description Unix timestamp (seconds) at which the limit resets or the ban ends. */
        readonly "X-RateLimit-Reset": number;
        /** @description Both limits of the caller in requests (`q`) per seconds (`w`), in the form of draft-ietf-httpapi-ratelimit-headers. */
        readonly "RateLimit-Policy": string;
        /** @description Requests remaining in both windows (`r`) and seconds until each window ends (`t`), in the form of the same draft. */
        readonly RateLimit: string;
        /**
         * @description Identifies the request in the service's log. If the request has an `X-Request-Id` of up to 64 letters, digits, `.`,
         *     `_` and `-`, the service uses it.
         */
        readonly "X-Request-Id": string;
        /** @description The `cursor` of the next page, if there is one. */
        readonly "X-Next-Cursor": string;
        /** @description Is `true` if this is the answer of an earlier request with the same `Idempotency-Key`. */
        readonly "Idempotency-Replayed": boolean;
        /** @description Seconds to wait before the next request. */
        readonly "Retry-After": number;
        /** @description The authentication scheme to use. */
        readonly "WWW-Authenticate": "Bearer";
        /** @description The methods of the path. Sent with a 405. */
        readonly Allow: string;
        /** @description The time since which the operation is deprecated (RFC 9745). */
        readonly Deprecation: string;
        /** @description The time at which the operation is to be removed (RFC 8594). */
        readonly Sunset: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly listPets: {
        readonly parameters: {
            readonly query?: {
                /** @description Maximum number of animals returned. */
                readonly limit?: number;
                /** @description Returns only animals with this availability status. */
                readonly status?: components["schemas"]["PetStatus"];
                /** @description Where the page starts. Opaque; take it from the `X-Next-Cursor` header of the previous page. */
                readonly cursor?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of animals. */
            readonly 200: {
                headers: {
                    /** @description The address of the next page (`rel="next"`), if there is one. */
                    readonly Link?: string;
                    /** @description The `cursor` of the next page, if there is one. */
                    readonly "X-Next-Cursor"?: string;
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 1,
                     *         "name": "Rex",
                     *         "categoryId": 7,
                     *         "status": "available"
                     *       },
                     *       {
                     *         "id": 2,
                     *         "name": "Mia",
                     *         "categoryId": "9007199254740993",
                     *         "status": "sold"
                     *       }
                     *     ]
                     */
                    readonly "application/json": components["schemas"]["Pets"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Failure"];
        };
    };
    readonly createPet: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat. Any text of 1 to 255 visible ASCII characters; use a new one for each animal.
                 *     The service remembers it for 24 hours. A key in double quotes is the same as the text between them.
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description The animal to add. At most 100 kB. */
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "Rex",
                 *       "categoryId": 7
                 *     }
                 */
                readonly "application/json": components["schemas"]["NewPet"];
            };
        };
        readonly responses: {
            /** @description The animal was added, now or by an earlier request with the same `Idempotency-Key`. */
            readonly 201: {
                headers: {
                    /** @description Is `true` if this is the answer of an earlier request with the same `Idempotency-Key`. */
                    readonly "Idempotency-Replayed"?: boolean;
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Rex",
                     *       "categoryId": 7,
                     *       "status": "available"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Pet"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 409: components["responses"]["IdempotencyConflict"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Failure"];
        };
    };
    readonly getPet: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Identifier of the animal. */
                readonly petId: Int64;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The animal. */
            readonly 200: {
                headers: {
                    readonly Deprecation: components["headers"]["Deprecation"];
                    readonly Sunset: components["headers"]["Sunset"];
                    /** @description The operation to use instead (`rel="successor-version"`), and the documentation of the deprecation (`rel="deprecation"`). */
                    readonly Link?: string;
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Rex",
                     *       "categoryId": 7,
                     *       "status": "available"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Pet"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 503: components["responses"]["Unavailable"];
            readonly default: components["responses"]["Failure"];
        };
    };
}
/** Query parameters that always have a value, because the contract gives them a default. */
export interface DefaultedParameters {
    listPets: "limit";
    createPet: never;
    getPet: never;
}
