/** Why a grade is another one than that of oasdiff. */
export const reasons: Readonly<Record<string, string>> = {
  'same-values': 'the schemas accept the same values, or what is added was accepted already',
  'all-of': 'the parts of an `allOf` are one schema, so a change of one is graded as it is',
  'one-of': 'a value that was valid may fit two alternatives of a `oneOf`',
  removed:
    'what is removed without a sunset breaks those who use it, also a property of an answer and an `operationId`',
  unseen:
    'oasdiff does not compare it: servers, items, sunsets of what was deprecated, keywords like `unevaluatedProperties`',
  defaults: 'a default that changed is risky',
  enums: 'a value that an enum of an answer gains is risky, and so is an enum that is gone',
  unlisted: 'tags, the version of the contract and what no operation uses are not listed',
  paths: 'parameters of a path that are named otherwise are listed',
  templates: 'paths with the same shape are taken for the same path',
  extensions: '`x-extensible-enum` and `x-stability-level` mean nothing in OpenAPI',
  texts: 'a value of a query is a text, so a string takes any single value',
  lists: 'a list that becomes a single value refuses two',
  xml: 'types count in XML as well',
  sent: 'the service sends webhooks, so their bodies are graded as answers',
  patterns: 'some text shows that a pattern accepts more, or none does',
  'prefix-items': 'the types of the items tell whether lists are refused',
  conditions: 'a changed `if` is risky',
  nothing: 'an answer that allowed nothing allows something',
  'write-only': 'an answer has no `writeOnly` property',
}

/**
 * What oasdiff says of two files in its folder `data`, of which the second one has `revision` for the last `base` in its
 * name: from the first to the second, and back. Where our grade is another one: `theirs>ours:reason`.
 */
export const facts = `
additional-properties/base.yaml breaking breaking
additional-properties/embedded-base.yaml breaking breaking
attributes/base.yaml breaking breaking
callback_cycle/base.yaml none none
checker/add_new_media_type_base.yaml compatible breaking
checker/additional_properties_traversal_base.yaml breaking compatible
checker/allof_property_existence_base.yaml risky>breaking:all-of risky>breaking:all-of
checker/allof_unchanged_sibling_base.yaml risky>breaking:all-of compatible
checker/api_security_added_base.yaml breaking compatible
checker/api_security_global_added_base.yaml breaking compatible
checker/api_security_updated_base.yaml compatible breaking
checker/clone_diff_base.yaml breaking compatible
checker/common_request_parameter_max_items_updated_base.yaml none>compatible:unseen none>breaking:unseen
checker/component_security_updated_base.yaml compatible>none:unlisted compatible>none:unlisted
checker/contains_added_base.yaml breaking breaking
checker/contains_min_max_base.yaml breaking breaking
checker/contains_property_base.yaml breaking breaking
checker/contains_property_min_max_base.yaml breaking breaking
checker/content_schema_base.yaml breaking breaking
checker/content_schema_body_base.yaml breaking breaking
checker/content_schema_prop_base.yaml breaking breaking
checker/dependent_required_base.yaml breaking breaking
checker/dependent_required_property_base.yaml breaking breaking
checker/dependent_required_property_changed_base.yaml breaking breaking
checker/dependent_schemas_base.yaml breaking breaking
checker/dependent_schemas_prop_base.yaml breaking breaking
checker/disclaimer_allof_base.yaml risky>none:same-values compatible>none:same-values
checker/disclaimer_allof_lookalike_base.yaml breaking compatible
checker/disclaimer_nested_allof_base.yaml risky>none:same-values compatible>none:same-values
checker/enum_removed_entirely_base.yaml breaking>risky:enums breaking
checker/exclusive_min_max_base.yaml breaking compatible
checker/exclusive_min_max_set_base.yaml breaking compatible
checker/if_added_base.yaml breaking breaking
checker/if_added_prop_base.yaml breaking breaking
checker/items_became_false_base.yaml breaking breaking
checker/min_items_set_base.yaml breaking compatible
checker/nil_revision_subschema_base.yaml none>risky:unseen none>breaking:unseen
checker/not_base.yaml breaking breaking
checker/nullable_type_array_param_base.yaml breaking compatible
checker/nullable_type_array_response_base.yaml compatible breaking
checker/nullable_wrap_base.yaml compatible breaking
checker/nullable_wrap_body_base.yaml compatible breaking
checker/nullable_wrap_header_property_base.yaml compatible breaking
checker/nullable_wrap_narrowed_base.yaml breaking breaking
checker/nullable_wrap_param_base.yaml compatible breaking
checker/nullable_wrap_response_base.yaml breaking compatible
checker/pattern_properties_base.yaml breaking breaking
checker/pattern_properties_prop_base.yaml breaking breaking
checker/prefix_items_added_base.yaml risky>breaking:prefix-items risky>breaking:prefix-items
checker/prefix_items_prop_base.yaml risky>breaking:prefix-items risky>breaking:prefix-items
checker/prefix_items_reordered_base.yaml breaking breaking
checker/property_names_base.yaml breaking breaking
checker/property_names_prop_base.yaml breaking breaking
checker/read_only_guard_base.yaml breaking breaking
checker/request_body_any_of_media_type_base.yaml breaking>none:same-values breaking>none:same-values
checker/request_body_const_changed_base.yaml breaking breaking
checker/request_body_default_value_changed_base.yaml breaking compatible
checker/request_body_max_length_set_base.yaml breaking compatible
checker/request_body_max_set_base.yaml breaking compatible
checker/request_body_media_type_updated_base.yaml compatible breaking
checker/request_body_nullable_31_base.yaml breaking breaking
checker/request_body_removed_base.yaml breaking breaking
checker/request_param_multitype_to_array_31_base.yaml compatible breaking
checker/request_param_nullable_to_array_31_base.yaml compatible compatible>breaking:lists
checker/request_param_scalar_to_array_31_base.yaml compatible breaking
checker/request_param_scalar_to_constrained_array_31_base.yaml breaking compatible>breaking:lists
checker/request_parameter_array_max_items_base.yaml breaking compatible
checker/request_parameter_became_enum_base.yaml breaking compatible
checker/request_parameter_default_value_changed_base.yaml compatible>risky:defaults compatible>risky:defaults
checker/request_parameter_default_value_changed_base_renamed.yaml compatible>risky:defaults compatible>risky:defaults
checker/request_parameter_enum_value_updated_base.yaml breaking compatible
checker/request_parameter_extensible_enum_base.yaml breaking>none:extensions none
checker/request_parameter_extensible_enum_number_base.yaml breaking>none:extensions none
checker/request_parameter_max_items_updated_base.yaml compatible breaking
checker/request_parameter_max_length_set_base.yaml breaking compatible
checker/request_parameter_max_length_updated_base.yaml compatible breaking
checker/request_parameter_max_updated_base.yaml compatible breaking
checker/request_parameter_min_increased_base.yaml breaking compatible
checker/request_parameter_min_items_increased_base.yaml breaking compatible
checker/request_parameter_min_length_increased_base.yaml breaking compatible
checker/request_parameter_pattern_added_or_changed_base.yaml compatible breaking
checker/request_parameter_property_enum_value_updated_base.yaml breaking compatible
checker/request_property_added_base.yaml breaking risky
checker/request_property_all_of_added_base.yaml breaking>none:same-values compatible>none:same-values
checker/request_property_all_of_annotation_only_added_at_property_base.yaml compatible>none:same-values compatible>none:same-values
checker/request_property_all_of_annotation_only_added_base.yaml compatible>none:same-values compatible>none:same-values
checker/request_property_all_of_inline_added_base.yaml breaking>compatible:same-values compatible>risky:all-of
checker/request_property_all_of_removed_base.yaml compatible>none:same-values breaking>none:same-values
checker/request_property_any_of_added_base.yaml compatible breaking>compatible:same-values
checker/request_property_any_of_ref_inline_enum_base.yaml none compatible>none:unlisted
checker/request_property_any_of_removed_base.yaml breaking>compatible:same-values compatible
checker/request_property_became_nullable_31_base.yaml breaking breaking
checker/request_property_became_nullable_base.yaml compatible breaking
checker/request_property_discriminator_added_base.yaml compatible compatible>breaking:one-of
checker/request_property_extensible_enum_base.yaml breaking>none:extensions none
checker/request_property_extensible_enum_number_base.yaml breaking>none:extensions none
checker/request_property_max_length_set_base.yaml breaking compatible
checker/request_property_max_set_base.yaml breaking compatible
checker/request_property_min_increased_base.yaml breaking compatible
checker/request_property_min_items_increased_base.yaml breaking compatible
checker/request_property_one_of_added_base.yaml compatible>breaking:one-of breaking
checker/request_property_one_of_removed_base.yaml breaking compatible>breaking:one-of
checker/request_property_one_of_wrapped_base.yaml breaking breaking
checker/request_property_pattern_added_or_changed_base.yaml compatible>risky:patterns breaking
checker/request_property_type_changed_base.yaml breaking breaking
checker/request_property_type_changed_base_array_to_object.yaml breaking breaking
checker/request_xml_type_compatible_base.yaml compatible>breaking:xml breaking
checker/response_min_decreased_base.yaml breaking compatible
checker/response_optional_property_removed_base.yaml compatible>breaking:removed compatible
checker/response_pattern_added_or_changed_base.yaml risky>breaking:patterns risky
checker/response_property_all_of_added_base.yaml compatible>none:same-values risky>none:same-values
checker/response_property_all_of_annotation_only_added_base.yaml compatible>none:same-values compatible>none:same-values
checker/response_property_all_of_inline_added_base.yaml compatible risky>breaking:removed
checker/response_property_all_of_removed_base.yaml risky>none:same-values compatible>none:same-values
checker/response_property_any_of_added_base.yaml breaking>compatible:same-values compatible
checker/response_property_any_of_complex_base.yaml breaking breaking
checker/response_property_any_of_removed_base.yaml compatible breaking>compatible:same-values
checker/response_property_became_optional_base.yaml breaking compatible
checker/response_property_const_changed_base.yaml breaking breaking
checker/response_property_default_value_changed_base.yaml compatible>risky:defaults compatible>risky:defaults
checker/response_property_discriminator_added_base.yaml compatible compatible
checker/response_property_one_of_added_base.yaml breaking>risky:enums compatible
checker/response_property_one_of_removed_base.yaml compatible breaking>risky:enums
checker/response_property_one_of_wrapped_base.yaml breaking compatible
checker/response_required_property_added_base.yaml compatible breaking
checker/response_schema_type_changed_base.yaml breaking breaking
checker/response_xml_type_compatible_base.yaml compatible>breaking:xml breaking
checker/schema_became_false_base.yaml breaking compatible>breaking:nothing
checker/schema_became_false_claims_base.yaml breaking compatible
checker/shared_schema_base.yaml compatible compatible>breaking:removed
checker/shared_schema_inner_change_base.yaml breaking breaking
checker/shared_schema_nested_base.yaml compatible breaking
checker/shared_schema_override_base.yaml compatible breaking
checker/shared_schema_ref_into_component_base.yaml compatible compatible>breaking:removed
checker/shared_schema_request_required_base.yaml breaking compatible
checker/shared_schema_two_parents_base.yaml compatible breaking
checker/shared_schema_two_properties_base.yaml compatible breaking
checker/sub_schema_added_property_base.yaml breaking risky
checker/sub_schema_traversal_base.yaml breaking breaking>risky:conditions
checker/transition_claims_enum_base.yaml breaking>compatible:same-values breaking
checker/unevaluated_base.yaml breaking breaking
checker/unevaluated_bool_base.yaml none>breaking:unseen none>risky:unseen
checker/unevaluated_property_base.yaml breaking breaking
checker/webhook_base.yaml breaking breaking
checker/webhook_operation_base.yaml breaking>compatible:sent risky>breaking:sent
extensions/base.yaml none none
header-case/base.yaml none none
item-schema/base.yaml breaking breaking>risky:enums
list-of-types/body-narrowing-base.yaml breaking breaking
list-of-types/body-test-base.yaml breaking compatible
list-of-types/edge-cases-base.yaml breaking breaking
list-of-types/list-to-list-base.yaml breaking breaking
list-of-types/list-to-single-base.yaml breaking compatible
list-of-types/no-type-base.yaml compatible breaking
list-of-types/param-property-base.yaml breaking>none:texts compatible>none:texts
list-of-types/param-test-base.yaml breaking>none:texts compatible>none:texts
list-of-types/single-to-list-base.yaml breaking compatible
media-type-schema/base.yaml breaking breaking
new_endpoints/base.yaml compatible breaking
new_endpoints/base_with_path_param.yaml compatible>breaking:templates breaking
nullable/base-body.yaml breaking compatible
nullable/base-embedded-property.yaml breaking compatible
nullable/base-property.yaml breaking compatible
nullable/base-req.yaml breaking compatible
oas32/base.yaml breaking breaking
openapi31-ref-sibling-base.yaml compatible compatible
openapi31/base.yaml breaking breaking
param-rename/method-base.yaml none>compatible:paths none>compatible:paths
param-rename/one-of-two-base.yaml none>compatible:paths none>compatible:paths
param-rename/op-base-ref.yaml none>compatible:paths none>compatible:paths
param-rename/op-base.yaml none>compatible:paths none>compatible:paths
param-rename/two-base.yaml none>compatible:paths none>compatible:paths
path-filter/base.yaml compatible>none:unlisted compatible>none:unlisted
pattern-base-recursive.yaml breaking compatible
pattern-base.yaml breaking compatible
pattern-parameter-base.yaml compatible breaking
request-body/base.yaml breaking breaking
required-properties/read-only-base.yaml compatible breaking
required-properties/read-only-new-base.yaml compatible breaking
required-properties/request-base.yaml compatible breaking
required-properties/request-new-base.yaml breaking risky
required-properties/request-new-required-prop-base.yaml none>breaking:unseen none>compatible:unseen
required-properties/response-allof-base.json compatible risky>breaking:removed
required-properties/response-allof-multi-base.json risky>compatible:same-values risky>breaking:removed
required-properties/response-base.json breaking compatible
required-properties/response-del-required-prop-base.yaml breaking compatible>breaking:removed
required-properties/response-new-base.json compatible breaking
required-properties/write-only-base.yaml compatible breaking
required-properties/write-only-changed-base.yaml breaking compatible
required-properties/write-only-delete-base.yaml risky breaking
required-properties/write-only-delete-partial-base.yaml risky>breaking:removed breaking>compatible:write-only
response-media-type-base.yaml breaking compatible
run_test/breaking_changes_include_checks_base.yaml compatible compatible
run_test/changelog_base.yaml compatible compatible
run_test/changelog_include_checks_base.yaml compatible compatible
servers/baseswagger.json none>breaking:unseen none>breaking:unseen
stability/base-draft-endpoint-property.yaml none none
stability/base-item-schema.yaml breaking>none:extensions none
type-change/base-response.yaml breaking breaking
version/base.yaml compatible>none:unlisted compatible>none:unlisted
x-of/allof-annotation-only-base.yaml none none
x-of/base.json breaking compatible
x-of/inline-description-change-base.yaml none none
x-of/inline-ref-annotation-change-base.yaml none none
x-of/inline-ref-byte-identical-base.yaml none compatible>none:unlisted
x-of/inline-ref-standalone-add-base.yaml compatible>none:same-values breaking>none:same-values
x-of/inline-to-ref-refactor-base.yaml none compatible>none:unlisted
x-of/multi-refs-base.yaml breaking breaking
x-of/single-ref-base.yaml compatible compatible>breaking:removed
x-of/two-refs-base.yaml compatible risky
`
